/** What a run of the harness came to, and its report. */
import type { Outcome, Verdict } from './judge.ts';
import { VERDICTS } from './judge.ts';
import { nameOf, type Server, type ServerFlags } from './server.ts';

const MIB = 2 ** 20;
const SHOWN_WRONGS = 20;
/** Beyond its limit, by which the server reckons itself, memory may not grow so much either. */
const OVER_LIMIT_MAX = 1.1;
const GROWTH_MAX = 1.25;

export class Tally {
  readonly counts: Record<Verdict, number> = { equal: 0, refused: 0, cut: 0, left: 0, wrong: 0 };
  /** What must not happen, of answers and of processes. */
  readonly wrongs: string[] = [];
  /** Why answers were refused or cut, what servers logged as errors, and how often. */
  readonly reasons: Map<string, number> = new Map();
  readonly #resident: string[] = [];
  readonly #overLimit: string[] = [];
  #wireBytes = 0;
  #servers = 0;

  /** @param of what was asked, and how */
  add({ verdict, detail, wireBytes }: Outcome, of: string): void {
    this.counts[verdict]++;
    this.#wireBytes += wireBytes;
    if (verdict === 'wrong') this.wrongs.push(`${of}: ${detail}`);
    if (verdict === 'refused' || verdict === 'cut') {
      const reason = `${verdict}: ${detail.replaceAll(/\d[\d.,]*/g, '#').slice(0, 160)}`;
      this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    }
  }

  /** Adds what is known of a server that has stopped. */
  addServer(server: Server, flags: ServerFlags): void {
    this.#servers++;
    const name = nameOf(flags);
    const { faults, lines } = server;
    for (const fault of faults) this.wrongs.push(`${name}: ${fault}`);
    if (faults.length > 0)
      this.wrongs.push(`${name}, its last lines:\n  ${lines.slice(-5).join('\n  ')}`);
    for (const [error, count] of server.errors) {
      this.reasons.set(`logged: ${error}`, (this.reasons.get(`logged: ${error}`) ?? 0) + count);
    }
    const { first, last, max, early, late } = server.resident();
    const shown = [first, last, max, early, late].map((bytes) => (bytes / MIB).toFixed(0));
    const [from, to, most, before, after] = shown;
    this.#resident.push(`${name}: ${from} → ${to}, at most ${most}; thirds ${before} → ${after}`);
    if (max > limitBytes(flags)) this.#overLimit.push(`${name}: ${most}`);
    if (late > OVER_LIMIT_MAX * limitBytes(flags) && late > GROWTH_MAX * early) {
      this.wrongs.push(`${name}: resident MiB grow beyond the limit, from ${before} to ${after}`);
    }
  }

  get isWell(): boolean {
    return this.wrongs.length === 0 && this.counts.equal > 0;
  }

  line(): string {
    return VERDICTS.map((verdict) => `${this.counts[verdict]} ${verdict}`).join(', ');
  }

  report(): string {
    const { wrongs, reasons } = this;
    const lines = [
      `answers: ${this.line()}`,
      `bytes on the wire: ${(this.#wireBytes / 1e9).toFixed(2)} GB`,
      `servers: ${this.#servers}`,
      ...this.#resident.map((each) => `  resident MiB, ${each}`),
      ...this.#overLimit.map((each) => `  resident MiB above the limit, ${each}`),
      ...[...reasons]
        .toSorted(([, a], [, b]) => b - a)
        .map(([reason, count]) => `  ${count} × ${reason}`),
      `wrong: ${wrongs.length}`,
      ...wrongs.slice(0, SHOWN_WRONGS).map((each) => `  ${each.replaceAll('\n', '\n  ')}`),
      ...(wrongs.length > SHOWN_WRONGS ? [`  and ${wrongs.length - SHOWN_WRONGS} more`] : []),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function limitBytes({ memoryLimit = '' }: ServerFlags): number {
  const [, number, unit] = /^(\d+)(Mi|Gi)$/.exec(memoryLimit) ?? [];
  return number === undefined ? Infinity : Number(number) * (unit === 'Gi' ? 1024 : 1) * MIB;
}
