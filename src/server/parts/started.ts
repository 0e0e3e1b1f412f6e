/** All parts of a server but its listening: what answers, and what goes on beside. */
import { accessRoutes } from '../../access/index.ts';
import { SCHEMA_VERSION, type Metrics } from '../../allocation/index.ts';
import type { Bills } from '../../billing/deliveries/index.ts';
import { router, rateLimiter, type AdmittedHandler, type Route } from '../../http/index.ts';
import { mcpRoute, type Served as ServedTools } from '../../mcp/index.ts';
import { createAdmission, type Admission } from '../../pool/index.ts';
import type { Config } from '../../settings/config.ts';
import { leastLimitBytes } from '../../settings/memory-budget.ts';
import { storeOf } from '../../settings/store.ts';
import type { Logger, ServerLogger } from '../../terminal/log.ts';
import { openPaths } from '../access/open-gate.ts';
import { boundHeaps, limitMainHeap } from '../bound-heaps.ts';
import { clockOf, TZDATA } from '../clock.ts';
import { found, foundThat, type Found } from '../doctor/findings.ts';
import type { Subject } from '../doctor/report.ts';
import { doctorRoutes } from '../doctor/route.ts';
import {
  metricsOf,
  openSource,
  startEngine,
  type Engine,
  type OpenSource,
  type StoreTimeouts,
} from '../engine.ts';
import { addParts } from '../health/add-parts.ts';
import { Health } from '../health/health.ts';
import { auditFamilies } from '../health/part-families.ts';
import { logLevelRoutes } from '../log-level.ts';
import { statesOf, storeFamilies } from '../metrics-stores/store-states.ts';
import { FailingBills, openBillFeeds } from '../open-bill-feeds.ts';
import { openBuilding, type Building } from '../open-building.ts';
import { openRecordedChanges, type RecordedChanges } from '../recorded-changes.ts';
import { openRoutes } from '../open-routes.ts';
import { openServedSets, type ServedSets } from '../open-sets.ts';
import { DESCRIBED_ROOMS } from '../openapi/descriptions.ts';
import { openApiRoute } from '../openapi/route.ts';
import { packageVersion } from '../package-version.ts';
import { ownRoutes, type About } from '../routes.ts';
import { sourceKindOf } from '../source-kind.ts';
import { warmUp } from '../warm-up.ts';
import { inBackground, type Work } from './background.ts';
import { roleFindings } from './told-role.ts';
import { checkRole, routesOf } from './role.ts';
import { openReceiving, type Receiving } from './receiving.ts';
import { OPENED_ONCE, type Opening } from './store-wait.ts';

export interface Started {
  readonly source: string;
  /** Resolves when answers are as quick as they will be. */
  readonly warmedUp: Promise<void>;
  readonly health: Health;
  /** All served routes. */
  readonly routes: readonly Route[];
  /** Answers whoever is admitted, as often as the rate of a client allows. */
  readonly answer: AdmittedHandler;
  readonly tools: ServedTools;
  /** Bytes of the arena that are in use. */
  usedBytes(): number;
  /** Starts what goes on beside answers. */
  begin(): void;
  /** It is not ready from now on, and still answers. */
  leave(): void;
  /** @param stopAnswering stops and tells what was cut off, while the work beside ends */
  close(stopAnswering: () => Promise<number>): Promise<number>;
}

/** Queries computed at once: each one alone uses all workers and several reads of the store. */
const HEAVY_QUERIES = 2;

export interface StartOptions {
  /** Routes besides those of the configuration. */
  readonly own?: readonly Route[] | undefined;
  readonly timeouts?: StoreTimeouts | undefined;
  /** By which what is in the store is opened; absent: once. */
  readonly opening?: Opening;
}

/** Mistakes are refused before anything is opened. @throws {Fault} */
function beforeParts(config: Config, log: ServerLogger): void {
  boundHeaps(config.memory);
  tellFewerWorkers(config, log);
  sourceKindOf(config);
  checkRole(config);
}

export async function startParts(
  config: Config,
  log: ServerLogger,
  { own = [], timeouts, opening = OPENED_ONCE }: StartOptions = {},
): Promise<Started> {
  beforeParts(config, log);
  const health = new Health(packageVersion());
  const engine = await startEngine(config, log);
  const { compute } = engine;
  // In parallel with the main thread's own loading and reading.
  const warmedUp =
    storeOf(config).kind === 'memory' ? Promise.resolve() : warmUp(engine, clockOf(config));
  const leaving = new AbortController();
  const notReady = readinessOf(warmedUp, leaving.signal);
  const stores = await openStores(config, engine, health, { timeouts, opening }, log);
  const { served, receiving, source, metrics } = stores;
  const { sets } = served;
  const admissions = openAdmissions(config);
  const parts = { engine, metrics, served, admissions };
  const building = openBuilding(config, parts, log);
  const endCosts = addParts(health, config, { ...parts, building }, log);
  const opened = await openRoutes(config, { ...parts, states: health.caches, opening }, log);
  const { bills, inCluster } = opened;
  const changes = await openChanges(config, served.isReadOnly, health, log);
  const failing = new FailingBills();
  const all: readonly Route[] = changes.of([
    openApiRoute(() => all, config.apiDialect),
    ...ownRoutes(aboutOf(config, source), {
      notReady,
      isBuilderFailing: () => (building?.builder.progress.failing.length ?? 0) > 0,
      details: () =>
        detailsOf([building, inCluster, served, receiving, failing, statesOf(source.stores)]),
    }),
    health.route(),
    ...opened.routes,
    ...receiving.routes,
    ...logLevelRoutes(log),
    ...doctorRoutes(config, () => subjectOf(config, stores, building)),
    ...accessRoutes(),
    mcpRoute(() => tools),
    ...own,
  ]);
  const routes = routesOf(config, all);
  const { answer, tools } = openHandlers(config, routes, log);
  const stops = [() => inCluster.close(), endCosts];
  let leaveMainHeap = (): void => undefined;
  return {
    source: source.name,
    warmedUp,
    health,
    routes,
    answer,
    tools,
    usedBytes: () => compute.arena.usedBytes,
    begin() {
      const works = worksOf(config, { served, building, bills, changes, failing }, log);
      stops.push(inBackground(served, works, log));
      leaveMainHeap = limitMainHeap(config.memory);
    },
    leave: () => leaving.abort(),
    async close(stopAnswering) {
      leaveMainHeap();
      health.close();
      receiving.stop();
      const [cut] = await Promise.all([stopAnswering(), ...stops.map((stop) => stop())]);
      for (const part of [opened, changes, sets, engine, source]) await part.close();
      return cut;
    },
  };
}

/** What goes on beside answers. */
function worksOf(
  config: Config,
  parts: {
    readonly served: ServedSets;
    readonly building: Building | undefined;
    readonly bills: Bills;
    readonly changes: RecordedChanges;
    readonly failing: FailingBills;
  },
  log: Logger,
): Work[] {
  const { served, building, bills } = parts;
  const isFed = !served.isReadOnly && config.role !== 'serve';
  const feeds = isFed ? openBillFeeds(config, bills, parts, log) : undefined;
  const build = building && ((signal: AbortSignal) => building.builder.run(signal));
  return [feeds, build].filter((work) => work !== undefined);
}

/** What a server answers from: stored sets, and samples that are read or received. */
interface Stores {
  readonly served: ServedSets;
  readonly receiving: Receiving;
  readonly source: OpenSource;
  readonly metrics: Metrics;
}

async function openStores(
  config: Config,
  { compute }: Engine,
  health: Health,
  { timeouts, opening = OPENED_ONCE }: StartOptions,
  log: ServerLogger,
): Promise<Stores> {
  const note = (sentence: string): void => log.warn({}, sentence);
  const served = await opening(() => openServedSets(config, compute, note));
  // The lock of the folder is of the samples in it, too.
  const receiving = await openReceiving(config, served.isReadOnly, note);
  health.add(() => receiving.families());
  const source = openSource(config, timeouts, health.reads, receiving.source);
  health.add(() => storeFamilies(source.stores));
  return { served, receiving, source, metrics: metricsOf(config, source) };
}

/** What answers requests, and what answers tools: routes of the same kind, below `/model` Kubecost's. */
function openHandlers(
  { requestsPerSecond: perSecond, apiDialect, isExactDays }: Config,
  routes: readonly Route[],
  log: ServerLogger,
): { readonly answer: AdmittedHandler; readonly tools: ServedTools } {
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const options = { log: logFailure, isExactDays };
  const limited =
    perSecond === 0
      ? (handler: AdmittedHandler): AdmittedHandler => handler
      : rateLimiter({ perSecond, isOpen: openPaths(routes) });
  const ofTools = router(routes, { ...options, dialects: 'prefix' });
  return {
    answer: limited(router(routes, { ...options, dialects: apiDialect })),
    tools: {
      version: packageVersion(),
      rooms: DESCRIBED_ROOMS,
      routes,
      answer: ofTools,
      answerMore: limited(ofTools),
      log: logFailure,
    },
  };
}

/** For `/readyz?verbose`. @param parts undefined: one that is not there */
function detailsOf(parts: readonly ({ state(): object } | undefined)[]): object {
  return Object.assign({}, ...parts.map((part) => part?.state())) as object;
}

function subjectOf(
  config: Config,
  { served, source, receiving }: Stores,
  building: Building | undefined,
): Subject {
  const { sets } = served;
  const running = [...roleFindings(config, served), ...runningOf(served, building)];
  return { source, sets, receiver: receiving.findings(), running };
}

function runningOf(served: ServedSets, building: Building | undefined): Found[] {
  const { failing = [] } = building?.builder.progress ?? {};
  const notes = served.notes.slice(-10).join('; ');
  const hint = 'what failed is tried again';
  return [
    found('up for', `${Math.round(process.uptime())} s`),
    foundThat(
      'jobs that fail',
      failing.join('; ') || 'none',
      failing.length > 0 ? 'warning' : 'ok',
      hint,
    ),
    found('notes of the folder', notes || 'none'),
  ];
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
  return {
    version,
    allocationSchema: SCHEMA_VERSION,
    source: source.name,
    timezone,
    tzdata: TZDATA,
  };
}

async function openChanges(
  config: Config,
  isReadOnly: boolean,
  health: Health,
  log: Logger,
): Promise<RecordedChanges> {
  const changes = await openRecordedChanges(config, isReadOnly, log);
  health.add(() => auditFamilies(changes.failures()));
  return changes;
}

/**
 * Stored queries are short: many may run and wait. Those that take little, stored or computed, do not wait for others.
 */
function openAdmissions({
  workers,
}: Config): Record<'heavy' | 'quick' | 'short' | 'cheap', Admission> {
  const computed = { running: HEAVY_QUERIES, waiting: 4 * workers, waitMs: 10_000 };
  const stored = { running: 16 * workers, waiting: 1024, waitMs: 10_000 };
  return {
    heavy: createAdmission({ ...computed, lane: 'questions that are computed from samples' }),
    quick: createAdmission({
      ...computed,
      lane: 'questions that are computed from few samples',
    }),
    short: createAdmission({ ...stored, lane: 'long questions of stored days' }),
    cheap: createAdmission({ ...stored, lane: 'short questions of stored days' }),
  };
}

/** Returns why the server is not ready: before it is warmed up, and once it leaves. */
function readinessOf(warmedUp: Promise<void>, leaving: AbortSignal): () => string | undefined {
  let isWarm = false;
  warmedUp.then(
    () => (isWarm = true),
    () => undefined,
  );
  return () => {
    if (leaving.aborted) return 'prorata is stopping';
    return isWarm ? undefined : 'prorata is starting';
  };
}
