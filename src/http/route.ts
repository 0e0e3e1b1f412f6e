import { Fault, Unavailable } from '../query/index.ts';
import {
  requireRole,
  requireScoping,
  type Scoping,
  type AdmittedHandler,
  type AdmittedRequest,
  type Needed,
} from './caller.ts';
import { discreetError } from './discreet-error.ts';
import {
  DIALECTS,
  dialectOf,
  withoutPrefix,
  type Dialect,
  type DialectRule,
} from './spelling/dialect.ts';
import { understood } from './spelling/understood.ts';
import { MeantPaths, redirected } from './spelling/redirect.ts';
import { errorReply } from './reply.ts';
import type { HttpReply, HttpRequest, Log } from './server.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without the `/model` prefix, such as `/allocation/compute`. */
  readonly path: string;
  /** The dialect that it answers in; absent: the same in both. */
  readonly dialect?: Dialect;
  /** The least role of who may ask; 'nobody': all may, without signing in. */
  readonly needs: Needed;
  /** What it changes, such as `collection.create`: each such change is recorded. Absent: it changes nothing. */
  readonly changes?: string;
  readonly scoping: Scoping;
  /** Content types of bodies; absent: JSON. Pages of other sites can send some types without being asked. */
  readonly body?: 'any';
  handle(request: AdmittedRequest): Promise<HttpReply> | HttpReply;
}

export interface RouterOptions {
  readonly log: Log;
  /** Absent: all paths speak Kubecost's. */
  readonly dialects?: DialectRule;
  /** Whether `3d` is three whole days; absent: all days that the last 72 hours overlap. */
  readonly isExactDays?: boolean;
}

/** The routes of a path by method, in each dialect. */
type Methods = Record<Dialect, Map<string, Route>>;

/**
 * All routes are served with and without the `/model` prefix, HEAD by GET; OPTIONS lists the methods of a
 * path. Errors of a route become the one error form.
 */
export function router(routes: readonly Route[], options: RouterOptions): AdmittedHandler {
  const paths = methodsByPath(routes);
  const meant = new MeantPaths(paths.keys());
  const { isExactDays = false } = options;
  const fail = (error: unknown, { signal, caller }: AdmittedRequest): HttpReply => {
    // Errors of an aborted computation are not reported, as the client has left.
    const cause = signal.aborted ? new Unavailable('the answer was aborted') : error;
    return errorReply(caller.filter === null ? cause : discreetError(cause), options.log);
  };
  return (request) => {
    try {
      const reply = dispatch({ paths, meant }, understood(request, isExactDays), options);
      return reply instanceof Promise ? reply.catch((error) => fail(error, request)) : reply;
    } catch (error) {
      return fail(error, request);
    }
  };
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Methods>();
  for (const route of routes) {
    const path = withoutPrefix(route.path);
    const methods: Methods = paths.get(path) ?? { kubecost: new Map(), opencost: new Map() };
    const dialects = route.dialect === undefined ? DIALECTS : [route.dialect];
    for (const dialect of dialects) {
      if (methods[dialect].has(route.method)) {
        throw new Error(`BUG: two routes ${route.method} ${path}`);
      }
      methods[dialect].set(route.method, route);
    }
    paths.set(path, methods);
  }
  return paths;
}

interface Served {
  readonly paths: ReadonlyMap<string, Methods>;
  readonly meant: MeantPaths;
}

function dispatch(
  served: Served,
  request: AdmittedRequest,
  { log, dialects = 'kubecost' }: RouterOptions,
): Promise<HttpReply> | HttpReply {
  const methodsOf = (path: string): ReadonlyMap<string, Route> =>
    served.paths.get(withoutPrefix(path))?.[dialectOf(path, dialects)] ?? NO_METHODS;
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const methods = methodsOf(request.path);
  if (methods.size === 0) {
    const meant = served.meant.find(request.path);
    if (meant !== undefined && methodsOf(meant).has(method)) return redirected(request, meant);
    throw unknownPath(request.path);
  }
  const route = methods.get(method);
  if (route !== undefined) {
    request.visit.route = withoutPrefix(route.path);
    const what = `${route.method} ${route.path}`;
    requireRole(request.caller, route.needs, what);
    requireScoping(request.caller, route.scoping, what);
    if (route.body !== 'any') checkType(request);
    return route.handle(request);
  }
  const allow = allowed(methods);
  if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: '' };
  const refusal = errorReply(wrongMethod(request, allow), log);
  return { ...refusal, headers: { ...refusal.headers, allow } };
}

/** @throws {Fault} 415 for a body of another type than JSON */
function checkType(request: HttpRequest): void {
  const type = request.header('content-type');
  if (request.body.length === 0 && (type === '' || READING.has(request.method))) return;
  if (/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw new Fault(
    type === '' ? 'the body has no type' : `a body of type '${type.slice(0, 80)}' is not read`,
    {
      status: 415,
      parameter: 'content-type',
      hint: 'send content-type: application/json',
    },
  );
}

const NO_METHODS: ReadonlyMap<string, Route> = new Map();

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function allowed(methods: ReadonlyMap<string, Route>): string {
  const names = [...methods.keys(), 'OPTIONS'];
  return (methods.has('GET') ? ['HEAD', ...names] : names).toSorted().join(', ');
}

function unknownPath(path: string): Fault {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  return new Fault(`there is nothing at ${shown}`, { status: 404 });
}

function wrongMethod(request: HttpRequest, allow: string): Fault {
  return new Fault(`${request.path} does not take ${request.method.slice(0, 20)}`, {
    status: 405,
    hint: `it takes ${allow}`,
  });
}
