/** Routes that read stored sets, over a real socket, with sets in memory. */
import type { HotSets } from '../../../src/allocation/index.ts';
import { openCaches, servedBytes } from '../../../src/server/caches.ts';
import { clockOf } from '../../../src/server/clock.ts';
import { bookOf, startEngine, type EngineCompute } from '../../../src/server/engine.ts';
import type { PriceBook } from '../../../src/pricing/index.ts';
import type { Clock } from '../../../src/query/index.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { loadFrontEnd, type Route } from '../../../src/http/index.ts';
import { createAdmission, type Admission } from '../../../src/pool/index.ts';
import { createMemorySets, type Sets } from '../../../src/storage/index.ts';
import { dayKey, encoded, type Columns } from '../stores/stored-sets.ts';
import { openRouter } from './open-router.ts';

export interface SetsServer {
  readonly failures: readonly unknown[];
  /** @param query without `?` @param body makes it a POST */
  ask(path: string, query: string, body?: string): Promise<SetsAnswer>;
  stop(): Promise<void>;
}

export interface SetsAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** One day: columns of its sets, by kind. */
export type SetsDay = Readonly<Record<string, Columns>>;

/** What routes are made of. */
export interface SetsParts {
  readonly sets: Sets;
  readonly hot: HotSets;
  readonly compute: EngineCompute;
  readonly clock: Clock;
  readonly book: PriceBook;
  readonly admission: Admission;
}

/** Days are of UTC; now is the end of the last. */
export async function startSetsServer(
  days: readonly SetsDay[],
  routesOf: (parts: SetsParts) => Route[],
): Promise<SetsServer> {
  const { config } = loadConfig(['--workers=1', '--memory-limit=300Mi'], {}, () => '');
  const failures: unknown[] = [];
  const failed = (message: string, error: unknown): void => void failures.push([message, error]);
  const log = { info: () => undefined, error: (fields: object) => void failures.push(fields) };
  const engine = await startEngine(config, log);
  const { compute } = engine;
  const sets = createMemorySets({ arena: compute.arena, owner: compute.owners.take() });
  for (const [place, day] of days.entries()) {
    const kinds = Object.entries(day);
    await sets.write(
      await Promise.all(kinds.map(([kind, of]) => encoded(dayKey(place, kind), of))),
    );
  }
  const routes = routesOf({
    sets,
    hot: openCaches(compute, servedBytes(engine)).hot,
    compute,
    clock: { ...clockOf(config), nowMs: () => dayKey(days.length - 1).endMs },
    book: bookOf(config),
    admission: createAdmission({ lane: 'questions', running: 4, waiting: 100, waitMs: 10_000 }),
  });
  const front = (await loadFrontEnd('node'))(openRouter(routes, { log: failed }), { log: failed });
  const port = await front.listen('127.0.0.1', 0);
  return {
    failures,
    async ask(path, query, body) {
      const init =
        body === undefined
          ? {}
          : { method: 'POST', body, headers: { 'content-type': 'application/json' } };
      const reply = await fetch(`http://127.0.0.1:${port}${path}?${query}`, init);
      return { status: reply.status, body: await reply.json(), headers: reply.headers };
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
  readonly namespace?: string;
  readonly container?: string;
  readonly controller?: string;
  readonly controllerKind?: string;
  readonly cpuCores: number;
  readonly ramGiB: number;
  readonly fromHour?: number;
  readonly toHour?: number;
  /** Further columns, such as costs. */
  readonly more?: Readonly<Record<string, number>>;
}

export function allocationColumns(day: number, pods: readonly SizedPod[]): Columns {
  const hours = ({ fromHour = 0, toHour = 24 }: SizedPod): number => toHour - fromHour;
  const { startMs } = dayKey(day);
  return {
    cluster: pods.map(({ cluster = 'cluster-one' }) => cluster),
    node: pods.map(() => 'n1'),
    namespace: pods.map(({ namespace = 'default' }) => namespace),
    pod: pods.map(({ pod }) => pod),
    container: pods.map(({ container = 'main' }) => container),
    controller: pods.map(({ controller = 'web' }) => controller),
    controllerKind: pods.map(({ controllerKind = 'deployment' }) => controllerKind),
    startMs: pods.map(({ fromHour = 0 }) => startMs + fromHour * 3_600_000),
    endMs: pods.map(({ toHour = 24 }) => startMs + toHour * 3_600_000),
    cpuCoreHours: pods.map((pod) => pod.cpuCores * hours(pod)),
    ramByteHours: pods.map((pod) => pod.ramGiB * 2 ** 30 * hours(pod)),
    ...Object.fromEntries(
      Object.keys(pods[0]?.more ?? {}).map((name) => [
        name,
        pods.map(({ more }) => more?.[name] ?? 0),
      ]),
    ),
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
