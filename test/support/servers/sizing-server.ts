/** A server of sized sets, asked over a real socket. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { compileKernels, createEngine } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../references/dirty-memory.ts';
import { sizedSets, type Ran, type SizedSpan } from '../stores/sizing-sets.ts';
import { startStoredServers, type StoredServers } from './stored-server.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS: number = 24 * HOUR_MS;
/** What servers take for now, and its midnight. */
export const NOW_MS: number = Date.UTC(2024, 4, 10, 12);
export const TODAY_MS: number = Date.UTC(2024, 4, 10);
export const MIB: number = 2 ** 20;
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), 1);

interface Pair {
  readonly cpu: string;
  readonly memory: string;
}
type Three = Readonly<Record<'cpu' | 'memory' | 'total', number>>;
interface Recommendation {
  readonly clusterID: string;
  readonly namespace: string;
  readonly controllerKind: string;
  readonly controllerName: string;
  readonly containerName: string;
  readonly recommendedRequest: Pair;
  readonly latestKnownRequest: Pair;
  readonly averageUsage: Pair;
  readonly maxUsage: Pair;
  readonly monthlySavings: Three;
  readonly currentEfficiency: Three;
  readonly normalizedRecommendedRequest: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  readonly gpu?: Readonly<Record<string, number | null>>;
}
export interface Answer {
  readonly TotalMonthlySavings: number;
  readonly Count: number;
  readonly Recommendations: readonly Recommendation[];
  readonly controllers?: readonly unknown[];
  readonly WithoutUsage: number;
  readonly GPUMonthlySavings: number;
  readonly warnings?: readonly string[];
}

export interface SizingServers {
  /** What a server that has the sets answers. */
  readonly text: (spans: readonly SizedSpan[], path: string) => Promise<[number, string]>;
  readonly ask: (spans: readonly SizedSpan[], path: string) => Promise<Answer>;
  readonly start: StoredServers['start'];
}

/** For all tests of the file that calls it, which may not make the servers fail. */
export function sizingServers(): SizingServers {
  let servers: StoredServers;
  before(async () => {
    servers = await startStoredServers();
  });
  after(async () => {
    assert.deepEqual(servers.failures, []);
    await servers.stop();
  });
  return {
    text: (spans, path) => text(servers, spans, path),
    ask: (spans, path) => ask(servers, spans, path),
    start: (timezone, sets) => servers.start(timezone, sets),
  };
}

async function text(
  servers: StoredServers,
  spans: readonly SizedSpan[],
  path: string,
): Promise<[number, string]> {
  const server = await servers.start('UTC', await sizedSets(engine, spans));
  server.nowMs = NOW_MS;
  try {
    const response = await fetch(`${server.url}/model/savings/${path}`);
    return [response.status, await response.text()];
  } finally {
    await server.stop();
  }
}

async function ask(
  servers: StoredServers,
  spans: readonly SizedSpan[],
  path: string,
): Promise<Answer> {
  const [status, body] = await text(servers, spans, path);
  if (status !== 200) throw new Error(body);
  return JSON.parse(body) as Answer;
}

/** A container of a pod of the day before today. */
export const ran = (pod: string, more: Partial<Ran> = {}): Ran => ({
  controller: 'shop',
  pod,
  startMs: TODAY_MS - DAY_MS,
  endMs: TODAY_MS,
  cpuRequest: 0.5,
  ramRequest: 512 * MIB,
  cpuUsed: [0.05, 0.1, 0.08],
  ramUsed: [40 * MIB, 50 * MIB],
  ...more,
});

/** The day before today. */
export const yesterday = (...rows: readonly Ran[]): SizedSpan => ({
  startMs: TODAY_MS - DAY_MS,
  endMs: TODAY_MS,
  ran: rows,
});
