/** `prorata serve`: connects the parts and listens. Computes nothing itself. */
import type { Config } from '../settings/config.ts';
import { compressing, gated, guarded, loadFrontEnd, type HttpServer } from '../http/index.ts';
import type { ServerLogger } from '../terminal/log.ts';
import { Fault } from '../query/index.ts';
import { accessLog } from '../server/health/access-log.ts';
import { openCompressed } from '../server/caches.ts';
import type { StoreTimeouts } from '../server/engine.ts';
import { observedByAll } from '../server/health/request-counts.ts';
import { openAccess, openGate, openPaths } from '../server/access/open-gate.ts';
import type { Access } from '../server/access/open-oidc.ts';
import { startParts, type Started } from '../server/parts/started.ts';
import { checkTls, tlsFilesOf, withCertificate } from '../server/tls-files.ts';

export interface Running {
  readonly url: string;
  readonly source: string;
  /** All served routes. */
  readonly routes: Started['routes'];
  /** Bytes of the arena that are in use. */
  usedBytes(): number;
  /** It is not ready from now on, and still answers. */
  leave(): void;
  /** @returns how many answers did not end within `graceMs`, and were cut off */
  close(graceMs: number): Promise<number>;
}

export async function startServer(
  config: Config,
  log: ServerLogger,
  timeouts?: StoreTimeouts,
): Promise<Running> {
  refuseOpenBind(config);
  checkTls(config);
  const access = openAccess(config, log);
  const parts = await startParts(config, log, access?.routes ?? [], timeouts);
  const server = await openServer(config, parts, access, log);
  await parts.warmedUp;
  const port = await server.listen(config.host, config.port);
  parts.begin();
  const { source, routes } = parts;
  return {
    url: `${config.tlsCert === undefined ? 'http' : 'https'}://${config.host}:${port}`,
    source,
    routes,
    usedBytes: () => parts.usedBytes(),
    leave: () => parts.leave(),
    close: (graceMs) => parts.close(() => server.close(graceMs)),
  };
}

async function openServer(
  config: Config,
  { routes, answer, health }: Started,
  access: Access | undefined,
  log: ServerLogger,
): Promise<HttpServer> {
  const { frontEnd: name, memory, host, allowedHosts, isAccessLogged } = config;
  const tls = tlsFilesOf(config);
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const frontEnd = await loadFrontEnd(name ?? (isLoopback(host) ? 'uws' : 'node'));
  const routed = gated(answer, openGate(access, config, openPaths(routes)));
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
