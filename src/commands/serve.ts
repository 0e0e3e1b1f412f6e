/** `prorata serve`: puts the parts together and listens. Computes nothing. */
import { readFileSync } from 'node:fs';
import {
  allocationRoutes,
  SCHEMA_VERSION,
  storedRoutes,
  type Builder,
} from '../allocation/index.ts';
import { openBills } from '../bills/index.ts';
import { assetRoutes } from '../assets/index.ts';
import type { Config } from '../config.ts';
import { compressing, loadFrontEnd, router, type Route } from '../http/index.ts';
import type { Logger, ServerLogger } from '../log.ts';
import { leastLimitBytes } from '../memory-budget.ts';
import { createAdmission, type Admission } from '../pool/index.ts';
import { predictionRoutes } from '../prediction/index.ts';
import { ownRoutes, type About } from '../routes.ts';
import { boundHeaps, keepMainHeap } from './bound-heaps.ts';
import { cloudBill } from './cloud-bill.ts';
import { openSource, startEngine, type OpenSource, type Patience } from './engine.ts';
import { keeping } from './keeping.ts';
import { openBillFeeds } from './open-bill-feeds.ts';
import { openBuilder } from './open-builder.ts';
import { openInCluster } from './open-in-cluster.ts';
import { openClusterSizing } from './open-cluster-sizing.ts';
import { openCollections } from './open-collections.ts';
import { openJoinedDays, openLedgers } from './open-ledgers.ts';
import { openRequestSizing } from './open-request-sizing.ts';
import { openServedSets } from './open-sets.ts';
import { practise } from './practise.ts';

export interface Running {
  readonly url: string;
  readonly source: string;
  /** All that is served. */
  readonly routes: readonly Pick<Route, 'method' | 'path'>[];
  /** Bytes of the arena that are held now. */
  usedBytes(): number;
  close(graceMs: number): Promise<void>;
}

/** Queries computed at once: each already uses every worker and several reads of the store. */
const HEAVY_QUERIES = 2;

export async function startServer(
  config: Config,
  log: ServerLogger,
  patience?: Patience,
): Promise<Running> {
  boundHeaps(config.memory);
  tellFewerWorkers(config, log);
  const source = openSource(config, patience);
  const engine = await startEngine(config, log);
  // Beside what the main thread has to load and read.
  const practised = config.dataDir === undefined ? Promise.resolve() : practise(engine);
  practised.catch(() => undefined);
  const note = (sentence: string): void => log.info({}, sentence);
  const warn = (sentence: string): void => log.warn({}, sentence);
  const served = await openServedSets(config, engine, warn);
  const { sets } = served;
  const admission = heavyAdmission(config);
  const builder = openBuilder(config, engine, { source, sets, admission }, log);
  // The demo's days are nobody's history: they do not go into a folder of real ones.
  const isDemoBesideHistory = config.metricsUrl === undefined && config.dataDir !== undefined;
  const isBuilding = config.refreshMs > 0 && !isDemoBesideHistory && !served.isReadOnly;
  const bills = openBills({ ...engine, sets });
  const stored = {
    ...engine,
    ...keeping(engine),
    bill: cloudBill(sets),
    external: openJoinedDays(config, engine, bills),
    sets,
    admission: storedAdmission(config),
  };
  const inCluster = await openInCluster(config, stored, note);
  const routes = [
    ...ownRoutes(aboutOf(config, source), () => ({
      ...(isBuilding ? { backfill: builder.progress } : {}),
      ...inCluster.state(),
      ...served.state(),
    })),
    ...allocationRoutes({ ...engine, source, admission, external: stored.external }),
    ...storedRoutes(stored),
    ...assetRoutes(stored),
    ...openClusterSizing(config, { ...stored, admission }),
    ...predictionRoutes({ ...stored, admission }),
    ...(await openCollections(config, stored, bills, { note, isReadOnly: served.isReadOnly })),
    ...openLedgers(config, engine, { bills, sets }),
    ...openRequestSizing(config, engine, sets),
    ...inCluster.routes,
  ];
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const frontEnd = await loadFrontEnd(config.frontEnd);
  const server = frontEnd(compressing(router(routes, { log: logFailure })), { log: logFailure });
  await practised;
  const port = await server.listen(config.host, config.port);
  const stops = served.isReadOnly ? [] : [openBillFeeds(config, bills, log)];
  const leaveMainHeap = keepMainHeap(config.memory);
  if (isBuilding) stops.push(inBackground(builder, log));
  return {
    url: `http://${config.host}:${port}`,
    source: source.name,
    routes: routes.map(({ method, path }) => ({ method, path })),
    usedBytes: () => engine.arena.usedBytes,
    async close(graceMs) {
      leaveMainHeap();
      const stopped = stops.map((stop) => stop());
      await Promise.all([server.close(graceMs), inCluster.close(), ...stopped]);
      await sets.close();
      await engine.close();
      await source.close();
    },
  };
}

function tellFewerWorkers({ memory, memoryLimitBytes }: Config, log: Logger): void {
  const { threads, wantedThreads } = memory;
  if (threads === wantedThreads) return;
  const leastMib = leastLimitBytes(wantedThreads) / 2 ** 20;
  log.info(
    { workers: threads, wantedWorkers: wantedThreads, memoryLimitBytes },
    `fewer workers than wanted fit the memory limit; ${wantedThreads} take at least ${leastMib}Mi`,
  );
}

function aboutOf({ timezone }: Config, source: OpenSource): About {
  const version = packageVersion();
  return { version, allocationSchema: SCHEMA_VERSION, source: source.name, timezone };
}

/** @returns what ends it */
function inBackground(builder: Builder, log: Logger): () => Promise<void> {
  const stop = new AbortController();
  const ended = builder.run(stop.signal).catch((error: unknown) => {
    if (!stop.signal.aborted) log.error({ err: error }, 'no sets are built any more');
  });
  return async () => {
    stop.abort();
    await ended;
  };
}

function heavyAdmission({ workers }: Config): Admission {
  return createAdmission({ running: HEAVY_QUERIES, waiting: 4 * workers, waitMs: 10_000 });
}

/** Stored queries are short: many may run, and wait. */
function storedAdmission({ workers }: Config): Admission {
  return createAdmission({ running: 16 * workers, waiting: 1024, waitMs: 10_000 });
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
