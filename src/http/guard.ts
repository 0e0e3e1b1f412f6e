/**
 * What no request gets past, whatever its path: a browser must not be led here by a name that its page's owner
 * points at this address (DNS rebinding), nor made to change anything by the page of another site.
 */
import { isIP } from 'node:net';
import { Fault } from '../query/index.ts';
import { CrossOrigin, type CorsOrigins } from './origins/cross-origin.ts';
import { errorReply } from './reply.ts';
import type { HttpHandler, HttpRequest, Log } from './server.ts';

export interface GuardOptions {
  /** Names that clients may ask for, such as `costs.example.com` or `*.example.com`, besides local ones. */
  readonly allowedHosts: readonly string[];
  /** Pages of other origins that may ask anything, and whether those of all others may read. */
  readonly corsOrigins: CorsOrigins;
  readonly log: Log;
}

/** Names that nobody can register: of this machine, of a cluster's services, of a network of one's own. */
const LOCAL_SUFFIXES: readonly string[] = [
  '.localhost',
  '.svc',
  '.svc.cluster.local',
  '.local',
  '.internal',
  '.home.arpa',
];
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** More names than these are looked at each time. */
const KNOWN_MAX = 256;

export function guarded(
  handler: HttpHandler,
  { allowedHosts, corsOrigins, log }: GuardOptions,
): HttpHandler {
  const cross = new CrossOrigin(corsOrigins);
  const known = new Map<string, boolean>();
  const isAllowed = (host: string): boolean => {
    let allowed = known.get(host);
    if (allowed === undefined) {
      allowed = isAllowedHost(host, allowedHosts);
      if (known.size < KNOWN_MAX) known.set(host, allowed);
    }
    return allowed;
  };
  return (request) => {
    const host = request.header('host');
    // Browsers always name one; old clients of HTTP/1.0 may not.
    if (host !== '' && !isAllowed(host)) return errorReply(otherHost(host), log);
    if (!READING.has(request.method)) {
      const origin = otherOrigin(request);
      if (origin !== undefined && !cross.isListed(origin))
        return errorReply(crossSite(origin), log);
    }
    const preflight = cross.preflight(request);
    if (preflight !== undefined) return preflight;
    const reply = handler(request);
    if (reply instanceof Promise) return reply.then((late) => cross.allowing(request, late));
    return cross.allowing(request, reply);
  };
}

/** @param host with or without a port, as in the header */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const name = nameOf(host);
  if (name === '') return false;
  if (isIP(name) !== 0 || name === 'localhost' || /^[a-z0-9_-]+$/.test(name)) return true;
  if (LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix))) return true;
  return allowed.some((one) => {
    const wanted = one.toLowerCase();
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
  });
}

/** Without brackets, port and the dot at its end; '' for what is no host. */
function nameOf(host: string): string {
  const found = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(host);
  return (found?.[1] ?? found?.[2] ?? '').toLowerCase().replace(/\.$/, '');
}

/** The origin of a request that a page of another site made; browsers tell it with every write. */
function otherOrigin(request: HttpRequest): string | undefined {
  const origin = request.header('origin');
  const host = request.header('host').toLowerCase();
  if (origin !== '') {
    const isOwn =
      /^https?:\/\//i.test(origin) && origin.toLowerCase().replace(/^https?:\/\//, '') === host;
    return isOwn ? undefined : origin;
  }
  const site = request.header('sec-fetch-site');
  return site === 'cross-site' || site === 'same-site' ? site : undefined;
}

function otherHost(host: string): Fault {
  const shown = host.slice(0, 80);
  return new Fault(`'${shown}' is not a name of this server`, {
    status: 421,
    parameter: 'host',
    hint: 'ask by address, by localhost or by the name of the service, or start with --allowed-hosts and that name',
  });
}

function crossSite(origin: string): Fault {
  return new Fault(`a page of another site (${origin.slice(0, 80)}) may not change anything here`, {
    status: 403,
    parameter: 'origin',
  });
}
