/** The routes of every capability, as the configuration describes them. */
import { allocationRoutes, storedRoutes } from '../allocation/index.ts';
import type { Metrics } from '../allocation/index.ts';
import { assetRoutes } from '../assets/index.ts';
import { openBills, type Bills } from '../billing/deliveries/index.ts';
import type { Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import { predictionRoutes } from '../prediction/index.ts';
import { savingsRoutes } from '../savings/index.ts';
import type { Config } from '../settings/config.ts';
import type { Logger } from '../terminal/log.ts';
import { openAnswers, openCaches, servedBytes } from './caches.ts';
import { clockOf } from './clock.ts';
import { cloudBill } from './cloud-bill.ts';
import type { Engine } from './engine.ts';
import type { CacheStates } from './health/health.ts';
import { openJoinedDays, openBillRoutes } from './open-bill-routes.ts';
import { openClusterSizing } from './open-cluster-sizing.ts';
import { openCollections } from './open-collections.ts';
import { openInCluster, type InCluster } from './open-in-cluster.ts';
import { openInstallation } from './open-installation.ts';
import { openRequestSizing } from './open-request-sizing.ts';
import type { ServedSets } from './open-sets.ts';
import type { Opening } from './parts/store-wait.ts';

/** Parts that routes answer from. */
interface Parts {
  readonly engine: Engine;
  readonly metrics: Metrics;
  readonly served: ServedSets;
  /** How many questions are answered at once, by what they take. */
  readonly admissions: {
    readonly heavy: Admission;
    readonly quick: Admission;
    readonly short: Admission;
    readonly cheap: Admission;
  };
  /** Caches that are made for routes are added here. */
  readonly states: CacheStates;
  readonly opening: Opening;
}

export interface OpenRoutes {
  readonly routes: readonly Route[];
  /** For bills that are fetched. */
  readonly bills: Bills;
  readonly inCluster: InCluster;
  /** Ends what goes on for the routes, but for what is in the cluster. */
  close(): void;
}

/** @throws {Fault} when files that the configuration names cannot be used */
export async function openRoutes(
  config: Config,
  { engine, metrics, served, admissions: { heavy, quick, short, cheap }, states, opening }: Parts,
  log: Logger,
): Promise<OpenRoutes> {
  const { compute } = engine;
  const { sets, isReadOnly } = served;
  const clock = clockOf(config, sets);
  const note = (sentence: string): void => log.info({}, sentence);
  const bills = openBills({ sets, compute, clock });
  const billed = { cloud: cloudBill(sets), external: openJoinedDays(config, engine, bills) };
  const caches = openCaches(compute, servedBytes(engine));
  const answers = openAnswers(engine.memory, short, cheap);
  states.set('answers', () => answers.cache.state);
  for (const [name, cache] of Object.entries(caches)) states.set(name, () => cache.state);
  states.set('external', () => billed.external.state);
  const stored = { sets, billed, caches, compute, clock };
  const past = { sets, hot: caches.hot, compute, book: metrics.book };
  const bodies = { compute, admission: short };
  const inCluster = await openInCluster(config, past, bodies, { note, opening });
  const clusterSizing = openClusterSizing(config, { ...past, clock, admission: heavy });
  const requestSizing = openRequestSizing(config, engine, { sets, clock }, states);
  const collections = await opening(() =>
    openCollections(config, { ...stored, admission: short }, bills, { note, isReadOnly }),
  );
  const routes = [
    ...allocationRoutes({
      compute,
      metrics,
      external: billed.external,
      clock,
      admission: heavy,
      quick,
    }),
    ...storedRoutes({ ...stored, answers }),
    ...assetRoutes({ sets, bill: billed.cloud, compute, clock, admission: short }),
    ...openInstallation(config, { sets, hot: caches.hot, compute, admission: short }),
    ...clusterSizing.routes,
    ...predictionRoutes({ ...past, clock, admission: heavy }),
    ...collections.routes,
    ...openBillRoutes(config, { bills, sets, compute, clock }),
    ...requestSizing.routes,
    ...savingsRoutes({
      ...past,
      metrics,
      clock,
      heavy,
      short,
      requests: requestSizing.requests,
      nodes: clusterSizing.nodes,
    }),
    ...inCluster.routes,
  ];
  const fed = openBills({ sets: served.built, compute, clock });
  return { routes, bills: fed, inCluster, close: () => collections.close() };
}
