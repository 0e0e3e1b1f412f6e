/** What came of killing: a table, and what was wrong. */
import type { Restarting } from './restarting.ts';
import type { Tally } from './tally.ts';

export interface KillReport {
  readonly table: string;
  /** A sentence each. */
  readonly breaches: readonly string[];
}

interface Ran {
  readonly servers: readonly Restarting[];
  readonly builders: readonly Restarting[];
  readonly tally: Tally;
  readonly writer: { readonly acknowledged: number; readonly refused: number } | undefined;
  readonly storeKills: number;
  readonly rebuilds: { readonly done: number; readonly killed: number; readonly failed: number };
}

/** Says of itself what must not happen. */
const OWN_FAULT = /BUG:|out of bounds|RuntimeError/;

export function reportOf(ran: Ran, minutes: number, recoveredMs: number | undefined): KillReport {
  const { servers, builders, tally, writer, storeKills, rebuilds } = ran;
  const all = [...servers, ...builders];
  const lines = ['kind         right   absent  503   gone  cut'];
  const total = { right: 0, absent: 0, refused: 0, gone: 0, cut: 0 };
  for (const [kind, counts] of tally.counts) {
    lines.push(row(kind, Object.values(counts)));
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
  }
  lines.push(row('all', Object.values(total)), '');
  const kills = all.map((one) => `${one.name} ${one.kills}`).join(', ');
  const backs = all.flatMap(({ backMs }) => backMs).toSorted((a, b) => a - b);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const built = builders.reduce((sum, one) => sum + one.built, 0);
  lines.push(
    `killed in ${minutes} min: ${kills}, the store ${storeKills}, rebuilding commands ${rebuilds.killed}`,
    `days built: ${built}; rebuilt by commands: ${rebuilds.done}, not for want of the store: ${rebuilds.failed}`,
    `clocks at which the last day was seen: ${tally.clocks.size}`,
    `listening again after: median ${seconds(backs[backs.length >> 1] ?? 0)}, at most ${seconds(backs.at(-1) ?? 0)}`,
    `longest without a right answer: ${seconds(tally.longestGapMs)}`,
    `starts that failed, and were made again: ${all.reduce((sum, one) => sum + one.failedStarts.length, 0)}`,
    `changes of a collection: ${writer?.acknowledged ?? 0} acknowledged, ${writer?.refused ?? 0} refused`,
    `all recovered after the last kill: ${recoveredMs === undefined ? 'no' : seconds(recoveredMs)}`,
  );
  const logged = new Map<string, number>();
  for (const { errors } of all)
    for (const [kind, times] of errors) logged.set(kind, (logged.get(kind) ?? 0) + times);
  for (const [kind, times] of logged) lines.push(`logged ${times} times: ${kind}`);
  for (const said of new Set(all.flatMap(({ failedStarts }) => failedStarts.map(shortened))))
    lines.push(`a start failed: ${said}`);
  const breaches = [
    ...tally.failures,
    ...(tally.failed > tally.failures.length ? [`${tally.failed} failures in all`] : []),
    ...all.flatMap(({ ends }) => ends),
    ...[...logged.keys()].filter((kind) => OWN_FAULT.test(kind)),
    ...(total.right === 0 ? ['nothing was answered'] : []),
  ];
  return { table: lines.join('\n'), breaches };
}

function row(kind: string, counts: readonly number[]): string {
  return [kind.padEnd(12), ...counts.map((count) => String(count).padEnd(6))].join(' ');
}

function shortened(said: string): string {
  return said
    .replaceAll(/probe-[\w-]+/g, 'probe-#')
    .replaceAll(/\d+/g, '#')
    .slice(-300);
}
