/**
 * What questions of 30 stored days of 50,000 containers are estimated to cost before any work, against the CPU time that
 * they take: random ones, each asked of sets that are in memory.
 */
import { startProrata } from '../test/support/servers/prorata.ts';
import { parseQuery } from '../src/http/index.ts';
import { createCalendar } from '../src/query/index.ts';
import { estimatedMs } from '../src/allocation/params/stored-cost.ts';
import { readStoredPlan } from '../src/allocation/params/stored-params.ts';
import type { Benchmark, BenchOptions } from './harness.ts';
import { cpuMs } from './process-figures.ts';
import { seededRandom } from './random.ts';
import { FIRST_DAY_MS, prepareDays } from './stored-days.ts';
import { flagsOf, windowOf } from './stored.ts';

const DAY_MS = 86_400_000;
const QUESTIONS = 60;
const KEYS: readonly string[] = [
  'namespace', 'cluster', 'node', 'controller', 'pod', 'label:app', 'label:tier', 'namespace,controller', 'container', '',
]; // prettier-ignore
const MORE: readonly string[] = [
  '',
  'accumulate=true',
  'shareIdle=true',
  'shareCost=1000',
  'shareNamespaces=team-7',
];
const FORMATS: readonly string[] = [
  '',
  '',
  'format=csv',
  'format=csv&columns=full',
  'format=ndjson',
];

export async function* estimatesBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = options.isSmoke ? { days: 2, rows: 1000 } : { days: 30, rows: 50_000 };
  const prorata = await startProrata(flagsOf(await prepareDays(size), size));
  const random = seededRandom(7);
  const pick = <T>(of: readonly T[], fallback: T): T =>
    of[Math.floor(random() * of.length)] ?? fallback;
  const ask = async (query: string): Promise<void> => {
    const reply = await fetch(`${prorata.url}/model/allocation?${query}`);
    for await (const chunk of reply.body ?? []) void chunk;
    if (reply.status !== 200) throw new Error(`${query}: ${reply.status}`);
  };
  const ratios: { readonly ratio: number; readonly query: string; readonly ms: number }[] = [];
  try {
    for (const key of KEYS) await ask(`${windowOf(size)}&aggregate=${key}&limit=1`);
    for (let i = 0; i < (options.isSmoke ? 10 : QUESTIONS); i++) {
      const days = 1 + Math.floor(random() * size.days);
      const window = `window=${[0, days].map((day) => new Date(FIRST_DAY_MS + day * DAY_MS).toISOString()).join()}`;
      const parts = [
        window,
        `aggregate=${pick(KEYS, '')}`,
        pick(MORE, ''),
        pick(FORMATS, ''),
        `filter=node!:"none-${i}"`,
      ];
      const query = [...parts, random() < 0.7 ? 'limit=20' : '']
        .filter((part) => part !== '')
        .join('&');
      const nowMs = FIRST_DAY_MS + (size.days + 1) * DAY_MS;
      const plan = readStoredPlan(parseQuery(query), createCalendar('UTC'), nowMs, undefined);
      const isSum = query.includes('accumulate') || query.includes('csv');
      const member = { rows: size.rows };
      const sets = isSum
        ? [Array.from({ length: days }, () => member)]
        : Array.from({ length: days }, () => [member]);
      const estimate = estimatedMs(plan, sets);
      const before = cpuMs(prorata.pid);
      await ask(query);
      const ms = cpuMs(prorata.pid) - before;
      ratios.push({ ratio: estimate / ms, query, ms });
    }
    const run = (): Promise<void> =>
      ask(`${windowOf(size)}&limit=20&offset=${Math.floor(1000 * random())}`);
    yield { title: 'A page, after all of it', amount: 1, unit: 'answers', tasks: [{ name: 'one at a time', run }] }; // prettier-ignore
  } finally {
    await prorata.stop();
  }
  ratios.sort((a, b) => a.ratio - b.ratio);
  const within = ratios.filter(({ ratio }) => ratio >= 0.5 && ratio <= 4).length;
  const at = (share: number): string =>
    (ratios[Math.floor(share * (ratios.length - 1))]?.ratio ?? NaN).toFixed(2);
  options.note(`estimates of ${ratios.length} questions: ${within} within 0.5 to 4 times the CPU time; 5 % below ${at(0.05)}, median ${at(0.5)}, 5 % above ${at(0.95)}`); // prettier-ignore
  for (const { ratio, query, ms } of [...ratios.slice(0, 5), ...ratios.slice(-5)]) {
    options.note(`${ratio.toFixed(2)} times ${ms.toFixed(0)} ms: ${query}`);
  }
}
