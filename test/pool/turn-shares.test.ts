/** Requests that ask all the time, some long and some short: none of them starves, and no time is lost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as soon } from 'node:timers/promises';
import { Turns } from '../../src/pool/turns.ts';

/** Clients that ask again once they are answered. */
interface Class {
  readonly name: string;
  readonly clients: number;
  /** A request has so many, one after the other or so many at once. */
  readonly tasks: number;
  readonly atOnce: number;
  readonly eachMs: number;
}

const THREADS = 2;
/** A part of all workers' time; before bands had shares, downloads of CSV had 0.02 beside all others. */
const LEAST_SHARE = 0.15;
/** As measured of 30 days of 50,000 rows: sizing, sums by namespace, a day as CSV. */
const SIZING: Class = { name: 'sizing', clients: 10, tasks: 1, atOnce: 1, eachMs: 11 };
/** So many of a hundred are admitted at once. */
const STORED: Class = { name: 'stored', clients: 32, tasks: 30, atOnce: 4, eachMs: 3 };
const CSV: Class = { name: 'csv', clients: 8, tasks: 40, atOnce: 1, eachMs: 20 };
/** Questions about one day: from kept rows, and with a filter that is new. */
const PROBES: readonly Class[] = [
  { name: 'probe', clients: 1, tasks: 2, atOnce: 1, eachMs: 2 },
  { name: 'probe', clients: 1, tasks: 3, atOnce: 1, eachMs: 4 },
];

interface Outcome {
  /** Milliseconds of threads that each class was given, by those that there were. */
  readonly shares: ReadonlyMap<string, number>;
  readonly answers: ReadonlyMap<string, number>;
  /** How long each answer of a class took. */
  readonly tookMs: ReadonlyMap<string, readonly number[]>;
}

/** Runs the classes over a clock that only tasks move. */
async function simulate(classes: readonly Class[], forMs: number): Promise<Outcome> {
  let nowMs = 0;
  const turns = new Turns({ most: THREADS, nowMs: () => nowMs });
  const running: { name: string; startMs: number; endMs: number; end: () => void }[] = [];
  const given = new Map<string, number>();
  const answers = new Map<string, number>();
  const tookMs = new Map<string, number[]>();
  const ask = (one: Class): void => {
    const { signal } = new AbortController();
    const askedMs = nowMs;
    let [begun, ended] = [0, 0];
    const begin = (): void => {
      if (begun++ >= one.tasks) return;
      void turns.take(signal).then((end) => {
        const ends = (): void => {
          end();
          if (++ended < one.tasks) return begin();
          answers.set(one.name, (answers.get(one.name) ?? 0) + 1);
          tookMs.set(one.name, [...(tookMs.get(one.name) ?? []), nowMs - askedMs]);
          ask(one);
        };
        running.push({ name: one.name, startMs: nowMs, endMs: nowMs + one.eachMs, end: ends });
      });
    };
    for (let i = 0; i < one.atOnce; i++) begin();
  };
  for (const one of classes) for (let i = 0; i < one.clients; i++) ask(one);
  await soon();
  while (nowMs < forMs) {
    const first = running.toSorted((a, b) => a.endMs - b.endMs)[0];
    assert.ok(first, 'nothing runs although all ask');
    running.splice(running.indexOf(first), 1);
    nowMs = first.endMs;
    given.set(first.name, (given.get(first.name) ?? 0) + first.endMs - first.startMs);
    first.end();
    await soon();
  }
  const shares = new Map([...given].map(([name, ms]) => [name, ms / (THREADS * nowMs)]));
  return { shares, answers, tookMs };
}

const MIXES: readonly (readonly Class[])[] = [
  [CSV],
  [STORED],
  [SIZING, CSV],
  [STORED, CSV],
  [SIZING, STORED],
  [SIZING, STORED, CSV],
];

const named = (mix: readonly Class[]): string =>
  mix.map(({ name, clients }) => `${clients} ${name}`).join(', ');

for (const mix of MIXES.filter(({ length }) => length > 1))
  test(`beside each other, ${named(mix)} share the workers, and none of them starves`, async (t) => {
    const { shares, answers } = await simulate([...mix, ...PROBES.slice(0, 1)], 20_000);
    const told = [...shares].map(([name, share]) => `${name} ${share.toFixed(2)}`).join(', ');
    t.diagnostic(told);
    const together = [...shares.values()].reduce((sum, share) => sum + share, 0);
    assert.ok(together > 0.95, `together ${together}`);
    for (const { name } of mix) {
      assert.ok((shares.get(name) ?? 0) >= LEAST_SHARE, `${name}: ${told}`);
      assert.ok((answers.get(name) ?? 0) > 0, `none of ${name} was answered`);
    }
  });

for (const probe of PROBES) {
  const askedMs = probe.tasks * probe.eachMs;
  for (const mix of MIXES)
    test(`beside ${named(mix)} a question of ${askedMs} ms waits for little`, async (t) => {
      const { tookMs } = await simulate([...mix, probe], 20_000);
      const sorted = (tookMs.get(probe.name) ?? []).toSorted((a, b) => a - b);
      const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? NaN;
      t.diagnostic(`${sorted.length} answers, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
      assert.ok(sorted.length >= 50, `${sorted.length} answers`);
      assert.ok(at(0.99) <= 400, `p99 ${at(0.99)} ms`);
    });
}
