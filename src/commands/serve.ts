/** `prorata serve`: connects the parts and listens. Computes nothing itself. */
import { accessRoutes } from '../access/index.ts';
import { SCHEMA_VERSION, type Builder } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import {
  compressing,
  gated,
  guarded,
  loadFrontEnd,
  rateLimited,
  router,
  type HttpServer,
  type Route,
} from '../http/index.ts';
import type { Logger, ServerLogger } from '../terminal/log.ts';
import { leastLimitBytes } from '../settings/memory-budget.ts';
import { createAdmission, type Admission } from '../pool/index.ts';
import { Fault } from '../query/index.ts';
import { accessLog } from '../server/health/access-log.ts';
import { ownRoutes, type About } from '../server/routes.ts';
import { boundHeaps, limitMainHeap } from '../server/bound-heaps.ts';
import { openCompressed } from '../server/caches.ts';
import { clockOf, TZDATA } from '../server/clock.ts';
import {
  metricsOf,
  openSource,
  startEngine,
  type OpenSource,
  type StoreTimeouts,
} from '../server/engine.ts';
import { addParts } from '../server/health/add-parts.ts';
import { found, foundThat, type Found } from '../server/doctor/findings.ts';
import { doctorRoutes } from '../server/doctor/route.ts';
import { Health } from '../server/health/health.ts';
import { observedByAll } from '../server/health/request-counts.ts';
import { openBillFeeds } from '../server/open-bill-feeds.ts';
import { openBuilding, type Building } from '../server/open-building.ts';
import { openAccess, openGate, openPaths } from '../server/access/open-gate.ts';
import type { Access } from '../server/access/open-oidc.ts';
import { logLevelRoutes } from '../server/log-level.ts';
import { openApiRoute } from '../server/openapi/route.ts';
import { openRecordedChanges } from '../server/recorded-changes.ts';
import { packageVersion } from '../server/package-version.ts';
import { openRoutes } from '../server/open-routes.ts';
import { openServedSets, type ServedSets } from '../server/open-sets.ts';
import { checkTls, tlsFilesOf, withCertificate } from '../server/tls-files.ts';
import { warmUp } from '../server/warm-up.ts';

export interface Running {
  readonly url: string;
  readonly source: string;
  /** All served routes. */
  readonly routes: readonly Pick<
    Route,
    'method' | 'path' | 'dialect' | 'needs' | 'scoping' | 'changes'
  >[];
  /** Bytes of the arena that are in use. */
  usedBytes(): number;
  /** It is not ready from now on, and still answers. */
  leave(): void;
  /** @returns how many answers did not end within `graceMs`, and were cut off */
  close(graceMs: number): Promise<number>;
}

/** Queries computed at once: each one alone uses all workers and several reads of the store. */
const HEAVY_QUERIES = 2;

export async function startServer(
  config: Config,
  log: ServerLogger,
  timeouts?: StoreTimeouts,
): Promise<Running> {
  refuseOpenBind(config);
  checkTls(config);
  const access = openAccess(config, log);
  boundHeaps(config.memory);
  tellFewerWorkers(config, log);
  const health = new Health(packageVersion());
  const source = openSource(config, timeouts, health.reads);
  const metrics = metricsOf(config, source);
  const engine = await startEngine(config, log);
  const { compute } = engine;
  // In parallel with the main thread's own loading and reading.
  const warmedUp =
    config.dataDir === undefined ? Promise.resolve() : warmUp(engine, clockOf(config));
  warmedUp.catch(() => undefined);
  const served = await openServedSets(config, compute, (sentence) => log.warn({}, sentence));
  const { sets } = served;
  const admissions = openAdmissions(config);
  const parts = { engine, metrics, served, admissions };
  const building = openBuilding(config, parts, log);
  const endCosts = addParts(health, config, { ...parts, building }, log);
  const opened = await openRoutes(config, { ...parts, states: health.caches }, log);
  const { bills, inCluster } = opened;
  const changes = await openRecordedChanges(config, served.isReadOnly, log);
  const leaving = new AbortController();
  const routes: readonly Route[] = changes.of([
    openApiRoute(() => routes, config.apiDialect),
    ...ownRoutes(aboutOf(config, source), {
      isLeaving: () => leaving.signal.aborted,
      details: () => ({
        ...building?.state(),
        ...inCluster.state(),
        ...served.state(),
      }),
    }),
    health.route(),
    ...opened.routes,
    ...logLevelRoutes(log),
    ...doctorRoutes(config, () => ({ source, sets, running: runningOf(served, building) })),
    ...accessRoutes(),
    ...(access?.routes ?? []),
  ]);
  const server = await openServer(config, { routes, access }, health, log);
  await warmedUp;
  const port = await server.listen(config.host, config.port);
  const stops = [() => inCluster.close(), endCosts];
  if (!served.isReadOnly) stops.push(openBillFeeds(config, bills, changes, log));
  const leaveMainHeap = limitMainHeap(config.memory);
  if (building !== undefined) stops.push(inBackground(building.builder, log));
  return {
    url: `${config.tlsCert === undefined ? 'http' : 'https'}://${config.host}:${port}`,
    source: source.name,
    routes: routes,
    usedBytes: () => compute.arena.usedBytes,
    leave: () => leaving.abort(),
    async close(graceMs) {
      leaveMainHeap();
      health.close();
      const cut = await stopAnswering(server, graceMs, stops);
      for (const part of [changes, sets, engine, source]) await part.close();
      return cut;
    },
  };
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

/** @param stops end what goes on beside answers @returns how many answers were cut off */
async function stopAnswering(
  server: HttpServer,
  graceMs: number,
  stops: readonly (() => Promise<void>)[],
): Promise<number> {
  const [cut] = await Promise.all([server.close(graceMs), ...stops.map((stop) => stop())]);
  return cut;
}

async function openServer(
  config: Config,
  { routes, access }: { readonly routes: readonly Route[]; readonly access: Access | undefined },
  health: Health,
  log: ServerLogger,
): Promise<HttpServer> {
  const {
    frontEnd: name,
    memory,
    host,
    allowedHosts,
    isAccessLogged,
    requestsPerSecond,
    apiDialect,
    isExactDays,
  } = config;
  const tls = tlsFilesOf(config);
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const frontEnd = await loadFrontEnd(name ?? (isLoopback(host) ? 'uws' : 'node'));
  const open = openPaths(routes);
  const unlimited = router(routes, { log: logFailure, dialects: apiDialect, isExactDays });
  const limit = { perSecond: requestsPerSecond, isOpen: open };
  const limited = requestsPerSecond === 0 ? unlimited : rateLimited(unlimited, limit);
  const routed = gated(limited, openGate(access, config, open));
  const hosts = [...allowedHosts, host, ...publicHosts(config)];
  const guards = { allowedHosts: hosts, corsOrigins: config.corsOrigins, log: logFailure };
  const compressed = openCompressed(memory);
  health.caches.set('compressed', () => compressed.state);
  const handler = compressing(guarded(routed, guards), compressed);
  const observer = observedByAll([health.requests, accessLog(log, isAccessLogged)]);
  const server = frontEnd(handler, { log: logFailure, observer, tls });
  return tls === undefined ? server : withCertificate(server, tls, health, log);
}

function publicHosts({ publicUrl }: Config): readonly string[] {
  return publicUrl === undefined ? [] : [new URL(publicUrl).hostname];
}

/** @throws {Fault} where others than this machine could ask without being asked who they are */
function refuseOpenBind({ host, isBindInsecure, auth }: Config): void {
  if (isBindInsecure || auth !== 'none' || isLoopback(host)) return;
  throw new Fault(
    `--host ${host} is reached by others than this machine, and nobody has to sign in`,
    {
      parameter: '--host',
      hint: '--auth tokens asks who they are; --insecure-bind true (INSECURE_BIND=true) serves all who reach it: keep it behind a proxy that asks who they are, or a network policy',
    },
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
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

/** @returns a function that ends it */
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

/** Stored queries are short: many may run and wait, and the cheap among them do not wait for others. */
function openAdmissions({ workers }: Config): Record<'heavy' | 'short' | 'cheap', Admission> {
  const stored = { running: 16 * workers, waiting: 1024, waitMs: 10_000 };
  return {
    heavy: createAdmission({
      lane: 'questions that are computed from samples',
      running: HEAVY_QUERIES,
      waiting: 4 * workers,
      waitMs: 10_000,
    }),
    short: createAdmission({ ...stored, lane: 'long questions of stored days' }),
    cheap: createAdmission({ ...stored, lane: 'short questions of stored days' }),
  };
}
