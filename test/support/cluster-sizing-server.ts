/** The routes of cluster sizing over a real socket, with sets in memory. */
import { startEngine } from '../../src/commands/engine.ts';
import { keeping } from '../../src/commands/keeping.ts';
import { clusterSizingRoutes } from '../../src/cluster-sizing/index.ts';
import { loadConfig } from '../../src/config.ts';
import { loadFrontEnd, router } from '../../src/http/index.ts';
import { createAdmission } from '../../src/pool/index.ts';
import type { NodeType } from '../../src/pricing/index.ts';
import { createCalendar } from '../../src/query/index.ts';
import { createMemorySets } from '../../src/storage/index.ts';
import { dayKey, encoded, type Columns } from './stored-sets.ts';

export interface SizingServer {
  readonly failures: readonly unknown[];
  /** @param query without `?` */
  ask(query: string, path?: string): Promise<SizingAnswer>;
  stop(): Promise<void>;
}

export interface SizingAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** One day, by place: columns of its allocations and assets. */
export interface SizingDay {
  readonly allocations: Columns;
  readonly assets: Columns;
}

/** Now is the end of the last day, or so much before it. */
export async function startSizingServer(
  days: readonly SizingDay[],
  nodeTypes: readonly NodeType[],
  armProvider: string = 'AWS',
): Promise<SizingServer> {
  const { config } = loadConfig(['--workers=1', '--memory-limit=300Mi'], {}, () => '');
  const failures: unknown[] = [];
  const failed = (message: string, error: unknown): void => void failures.push([message, error]);
  const log = { info: () => undefined, error: (fields: object) => void failures.push(fields) };
  const engine = await startEngine(config, log);
  const { arena, owners } = engine;
  const sets = createMemorySets({ arena, owner: owners.take() });
  for (const [place, day] of days.entries()) {
    await sets.write([
      await encoded(dayKey(place), day.allocations),
      await encoded(dayKey(place, 'assets'), day.assets),
    ]);
  }
  const routes = clusterSizingRoutes({
    ...engine,
    ...keeping(engine),
    sets,
    calendar: createCalendar('UTC'),
    admission: createAdmission({ running: 4, waiting: 100, waitMs: 10_000 }),
    nowMs: () => dayKey(days.length - 1).endMs,
    nodeTypes: () => nodeTypes,
    armProvider,
  });
  const front = (await loadFrontEnd('node'))(router(routes, { log: failed }), { log: failed });
  const port = await front.listen('127.0.0.1', 0);
  return {
    failures,
    async ask(query, path = '/model/savings/clusterSizingETL') {
      const reply = await fetch(`http://127.0.0.1:${port}${path}?${query}`);
      return { status: reply.status, body: await reply.json() };
    },
    async stop() {
      await front.close(0);
      await engine.close();
    },
  };
}

/** A pod of one container, from one hour of the day to another. */
export interface SizedPod {
  readonly pod: string;
  readonly cluster?: string;
  readonly controller?: string;
  readonly controllerKind?: string;
  readonly cpuCores: number;
  readonly ramGiB: number;
  readonly fromHour?: number;
  readonly toHour?: number;
}

export function allocationColumns(day: number, pods: readonly SizedPod[]): Columns {
  const hours = ({ fromHour = 0, toHour = 24 }: SizedPod): number => toHour - fromHour;
  const { startMs } = dayKey(day);
  return {
    cluster: pods.map(({ cluster = 'cluster-one' }) => cluster),
    node: pods.map(() => 'n1'),
    namespace: pods.map(() => 'default'),
    pod: pods.map(({ pod }) => pod),
    container: pods.map(() => 'main'),
    controller: pods.map(({ controller = 'web' }) => controller),
    controllerKind: pods.map(({ controllerKind = 'deployment' }) => controllerKind),
    startMs: pods.map(({ fromHour = 0 }) => startMs + fromHour * 3_600_000),
    endMs: pods.map(({ toHour = 24 }) => startMs + toHour * 3_600_000),
    cpuCoreHours: pods.map((pod) => pod.cpuCores * hours(pod)),
    ramByteHours: pods.map((pod) => pod.ramGiB * 2 ** 30 * hours(pod)),
  };
}

export interface SizedNode {
  readonly node: string;
  readonly cluster?: string;
  readonly type: string;
  readonly provider: string;
  readonly region: string;
  readonly arch?: string;
  readonly cpuCores: number;
  readonly ramGiB: number;
  readonly usdPerHour: number;
}

/** Nodes that are there all day. */
export function nodeColumns(day: number, nodes: readonly SizedNode[]): Columns {
  const { startMs, endMs } = dayKey(day);
  return {
    type: nodes.map(() => 'Node'),
    cluster: nodes.map(({ cluster = 'cluster-one' }) => cluster),
    name: nodes.map(({ node }) => node),
    node: nodes.map(({ node }) => node),
    provider: nodes.map(({ provider }) => provider),
    nodeType: nodes.map(({ type }) => type),
    region: nodes.map(({ region }) => region),
    labels: nodes.map(({ arch = 'amd64' }) => `{"kubernetes_io_arch":"${arch}"}`),
    startMs: nodes.map(() => startMs),
    endMs: nodes.map(() => endMs),
    cpuCoreHours: nodes.map(({ cpuCores }) => 24 * cpuCores),
    ramByteHours: nodes.map(({ ramGiB }) => 24 * ramGiB * 2 ** 30),
    cost: nodes.map(({ usdPerHour }) => 24 * usdPerHour),
  };
}
