/** What a soak came to: its first part against its last, and what was broken. */
export interface Reading {
  readonly atMs: number;
  readonly residentBytes: number;
  /** The most that caches have held so far: they fill up to shares of the limit, and give no page back. */
  readonly cachedBytes: number;
  readonly descriptors: number;
  readonly threads: number;
}

export interface Soaked {
  readonly minutes: number;
  readonly readings: readonly Reading[];
  /** By the name of the question. */
  readonly outcomes: ReadonlyMap<string, SoakedQuestion>;
  readonly faults: ReadonlyMap<string, number>;
  /** What was logged as an error though nothing outside had failed. */
  readonly errors: readonly string[];
  readonly memoryLimitBytes: number;
}

export interface SoakedQuestion {
  readonly statuses: ReadonlyMap<number, number>;
  readonly answers: readonly { readonly atMs: number; readonly tookMs: number }[];
  /** How connections broke. */
  readonly breaks?: readonly string[];
}

/** Until caches are filled; then parts as long as this share of the rest. */
const WARM_UP_SHARE = 0.2;
const PART_SHARE = 0.25;
/** Beside what caches hold memory is to be flat, but for what V8 puts off. */
const GROWTH = 1.05;
/** Within the first hour heaps still fill: below this share of the limit they may. */
const [EARLY_MINUTES, EARLY_GROWTH, FILLED] = [60, 1.1, 0.75];
const SPARE_DESCRIPTORS = 8;
/** p99 of the last part beside the first; beyond this the answers have become slower. */
const SLOWER = 1.1;
/** Below so many answers a part, or beside others on the machine, a p99 says little. */
const ANSWERS_LEAST = 2000;
const NOISE = 3;

type Parts<Item> = readonly [first: readonly Item[], last: readonly Item[]];

function partsOf<Item extends { readonly atMs: number }>(
  items: readonly Item[],
  fromMs: number,
  toMs: number,
): Parts<Item> {
  const partMs = PART_SHARE * (toMs - fromMs);
  const within = (start: number, end: number): Item[] =>
    items.filter(({ atMs }) => atMs >= start && atMs <= end);
  return [within(fromMs, fromMs + partMs), within(toMs - partMs, toMs)];
}

export interface Report {
  readonly table: string;
  /** A sentence each. */
  readonly breaches: readonly string[];
}

export function reportOf(soaked: Soaked): Report {
  const { readings, minutes } = soaked;
  const [begin = 0, end = 0] = [readings[0]?.atMs, readings.at(-1)?.atMs];
  const fromMs = begin + WARM_UP_SHARE * (end - begin);
  const lines: string[] = [];
  const breaches: string[] = [];
  const [first, last] = partsOf(readings, fromMs, end);
  const compare = (
    name: string,
    of: (reading: Reading) => number,
    mayBe: (was: number) => number,
    unit = '',
  ): void => {
    const [was, is] = [mean(first.map(of)), mean(last.map(of))];
    lines.push(`${name.padEnd(24)} ${shown(was)}${unit} → ${shown(is)}${unit}`);
    if (!(is <= mayBe(was)))
      breaches.push(`${name} grew from ${shown(was)} to ${shown(is)}${unit}`);
  };
  const mib = 2 ** 20;
  compare(
    'resident memory',
    ({ residentBytes }) => residentBytes / mib,
    () => soaked.memoryLimitBytes / mib,
    ' MiB',
  );
  compare(
    'beside caches',
    ({ residentBytes, cachedBytes }) => (residentBytes - cachedBytes) / mib,
    (was) =>
      minutes < EARLY_MINUTES
        ? Math.max((FILLED * soaked.memoryLimitBytes) / mib, EARLY_GROWTH * was)
        : GROWTH * was,
    ' MiB',
  );
  compare(
    'descriptors',
    ({ descriptors }) => descriptors,
    (was) => was + SPARE_DESCRIPTORS,
  );
  compare(
    'threads',
    ({ threads }) => threads,
    (was) => was + 0.5,
  );
  for (const [name, { statuses, answers, breaks }] of soaked.outcomes) {
    const [early, late] = partsOf(answers, fromMs, end);
    const [was, is] = [p99(early), p99(late)];
    const told = [...statuses].map(([status, count]) => `${status} × ${count}`).join(', ');
    lines.push(`${name.padEnd(24)} p99 ${shown(was)} → ${shown(is)} ms; ${told}`);
    const isMuch = Math.min(early.length, late.length) >= ANSWERS_LEAST;
    if (is > (isMuch ? SLOWER : NOISE) * was)
      breaches.push(`${name}: p99 rose from ${shown(was)} to ${shown(is)} ms`);
    if (Number.isNaN(was + is)) breaches.push(`${name}: a part of the time nothing was answered`);
    for (const [status, count] of statuses)
      if (status !== 200 && status !== 503)
        breaches.push(`${name}: ${count} ${says(status, breaks)}`);
  }
  for (const [name, count] of soaked.faults) lines.push(`fault: ${name.padEnd(30)} × ${count}`);
  for (const error of soaked.errors.slice(0, 5)) breaches.push(`logged: ${error}`);
  const head = `${minutes} minutes, ${readings.length} readings; the first quarter after the warm-up → the last`;
  return { table: [head, ...lines].join('\n'), breaches };
}

const BREAKS_TOLD = 5;

function says(status: number, breaks: readonly string[] = []): string {
  if (status !== 0) return `were answered ${status}`;
  return ['connections broke', ...breaks.slice(0, BREAKS_TOLD)].join('\n    ');
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function p99(answers: readonly { readonly tookMs: number }[]): number {
  const sorted = answers.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))] ?? NaN;
}

function shown(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
