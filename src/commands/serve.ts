/** `prorata serve`: puts the parts together and listens. Computes nothing. */
import { readFileSync } from 'node:fs';
import { allocationRoutes, SCHEMA_VERSION, type AllocationTasks } from '../allocation/index.ts';
import { Arena, compileKernels, createMemory, Owners } from '../columnar/index.ts';
import type { Config } from '../config.ts';
import { loadFrontEnd, router } from '../http/index.ts';
import type { Logger } from '../log.ts';
import { createDemo, createRemoteRead, type MetricsSource } from '../metrics/index.ts';
import { createAdmission, createPool } from '../pool/index.ts';
import { createCalendar } from '../query/index.ts';
import { ownRoutes } from '../routes.ts';

export interface Running {
  readonly url: string;
  readonly source: string;
  /** Bytes of the arena that are held now. */
  usedBytes(): number;
  close(graceMs: number): Promise<void>;
}

export interface Patience {
  /** A store that sends nothing for so long is given up. */
  readonly idleTimeoutMs: number;
}

/** Queries computed at once: each already uses every worker and several reads of the store. */
const HEAVY_QUERIES = 2;

/** Everybody's demo shows the same fleet. */
const DEMO_SEED = 1;

const PATIENCE: Patience = { idleTimeoutMs: 30_000 };

export async function startServer(
  config: Config,
  log: Logger,
  patience: Patience = PATIENCE,
): Promise<Running> {
  const memory = createMemory(config.arenaBytes);
  const arena = new Arena(memory);
  const owners = new Owners();
  const nowMs = (): number => config.nowMs ?? Date.now();
  const source = openSource(config, nowMs, patience);
  const pool = await createPool<AllocationTasks>({
    entry: new URL('../../workers/entry.js', import.meta.url),
    threads: config.workers,
    workerData: { memory, module: compileKernels(), owner: owners.take() },
    onError: (error) => log.error({ err: error }, 'a worker failed outside any task'),
  });
  const routes = [
    ...ownRoutes({
      version: packageVersion(),
      allocationSchema: SCHEMA_VERSION,
      source: source.name,
      timezone: config.timezone,
    }),
    ...allocationRoutes({
      source,
      arena,
      owners,
      pool,
      nowMs,
      book: config.prices,
      calendar: createCalendar(config.timezone),
      clusterId: config.clusterId,
      clusterLabels: config.clusterLabel ? [config.clusterLabel] : ['cluster_id', 'cluster'],
      admission: createAdmission({
        running: HEAVY_QUERIES,
        waiting: 4 * config.workers,
        waitMs: 10_000,
      }),
    }),
  ];
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const frontEnd = await loadFrontEnd(config.frontEnd);
  const server = frontEnd(router(routes, { log: logFailure }), { log: logFailure });
  const port = await server.listen(config.host, config.port);
  return {
    url: `http://${config.host}:${port}`,
    source: source.name,
    usedBytes: () => arena.usedBytes,
    async close(graceMs) {
      await server.close(graceMs);
      await pool.close();
      await source.close();
    },
  };
}

type OpenSource = MetricsSource & { close(): Promise<void> };

function openSource(config: Config, nowMs: () => number, patience: Patience): OpenSource {
  if (config.metricsUrl !== undefined) {
    return createRemoteRead({
      url: config.metricsUrl,
      idleTimeoutMs: patience.idleTimeoutMs,
      totalTimeoutMs: config.readTimeoutMs,
    });
  }
  return { ...createDemo({ seed: DEMO_SEED, nowMs }), close: () => Promise.resolve() };
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
