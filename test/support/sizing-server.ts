/** A server of sized sets, asked over a real socket. */
import { compileKernels, createEngine, createMemory } from '../../src/columnar/index.ts';
import { sizedSets, type Ran, type SizedSpan } from './sizing-sets.ts';
import type { StoredServers } from './stored-server.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS: number = 24 * HOUR_MS;
/** What servers take for now, and its midnight. */
export const NOW_MS: number = Date.UTC(2024, 4, 10, 12);
export const TODAY_MS: number = Date.UTC(2024, 4, 10);
export const MIB: number = 2 ** 20;
const engine = createEngine(compileKernels(), createMemory(64 << 20), 1);

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
}
export interface Answer {
  readonly TotalMonthlySavings: number;
  readonly Count: number;
  readonly Recommendations: readonly Recommendation[];
  readonly controllers?: readonly unknown[];
  readonly WithoutUsage: number;
  readonly warnings?: readonly string[];
}

/** What a server that has the sets answers. */
export async function text(
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

export async function ask(
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
