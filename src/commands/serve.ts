/** `prorata serve`: connects the parts and listens. Computes nothing itself. */
import type { Config } from '../settings/config.ts';
import {
  compressing,
  gated,
  guarded,
  loadFastestFrontEnd,
  loadFrontEnd,
  refusedAtHead,
  type BeforeBody,
  type CompressedBytes,
  type HttpHandler,
  type HttpServer,
  type Observer,
} from '../http/index.ts';
import type { ServerLogger } from '../terminal/log.ts';
import { Fault } from '../query/index.ts';
import { accessLog } from '../server/health/access-log.ts';
import { openCompressed } from '../server/caches.ts';
import type { StoreTimeouts } from '../server/engine.ts';
import { observedByAll } from '../server/health/request-counts.ts';
import { openAccess, openGate, openPaths } from '../server/access/open-gate.ts';
import type { Access } from '../server/access/open-oidc.ts';
import { startParts, type Started } from '../server/parts/started.ts';
import { StoreWait } from '../server/parts/store-wait.ts';
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
  const listening = await loadServers(config, log);
  const wait = new StoreWait({
    log,
    async listen(handler) {
      const server = listening(handler);
      await server.listen(config.host, config.port);
      return server;
    },
  });
  const { opening } = wait;
  const parts = await startParts(config, log, { own: access?.routes, timeouts, opening });
  const server = openServer(config, parts, access, log, listening);
  await wait.close();
  const port = await server.listen(config.host, config.port);
  await parts.warmedUp;
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

/** Makes a server on the front end that the configuration names, guarded. */
type Listening = (handler: HttpHandler, beside?: Beside) => HttpServer;

/** What the server of all parts has beside its handler. */
interface Beside {
  readonly observer: Observer;
  readonly beforeBody: BeforeBody;
  readonly compressed: CompressedBytes;
}

async function loadServers(config: Config, log: ServerLogger): Promise<Listening> {
  const { frontEnd: name, host, allowedHosts, corsOrigins } = config;
  const logFailure = (message: string, error: unknown): void => log.error({ err: error }, message);
  const isNative = name === undefined && isLoopback(host);
  const frontEnd = await (isNative ? loadFastestFrontEnd(log) : loadFrontEnd(name ?? 'node'));
  const guards = {
    allowedHosts: [...allowedHosts, host, ...publicHosts(config)],
    corsOrigins,
    log: logFailure,
  };
  const tls = tlsFilesOf(config);
  return (handler, beside) => {
    const answer = guarded(handler, guards);
    if (beside === undefined) return frontEnd(answer, { log: logFailure, tls });
    const { compressed, ...others } = beside;
    const limits = { inboundBytes: config.memory.inboundBytes };
    return frontEnd(compressing(answer, compressed), { log: logFailure, limits, tls, ...others });
  };
}

function openServer(
  config: Config,
  { routes, answer, health }: Started,
  access: Access | undefined,
  log: ServerLogger,
  listening: Listening,
): HttpServer {
  const gate = openGate(access, config, openPaths(routes));
  const compressed = openCompressed(config.memory);
  health.caches.set('compressed', () => compressed.state);
  const observer = observedByAll([health.requests, accessLog(log, config.isAccessLogged)]);
  const server = listening(gated(answer, gate), {
    observer,
    beforeBody: refusedAtHead(gate),
    compressed,
  });
  const tls = tlsFilesOf(config);
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
