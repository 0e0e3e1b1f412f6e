import { Fault, Unavailable } from '../query/index.ts';
import {
  requireRole,
  requireScoping,
  type Scoping,
  type AdmittedHandler,
  type AdmittedRequest,
  type Needed,
} from './caller.ts';
import { DIALECTS, dialectOf, withoutPrefix, type Dialect, type DialectRule } from './dialect.ts';
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
}

/** The routes of a path by method, in each dialect. */
type Methods = Record<Dialect, Map<string, Route>>;

/**
 * All routes are served with and without the `/model` prefix, HEAD by GET; OPTIONS lists the methods of a
 * path. Errors of a route become the one error form.
 */
export function router(routes: readonly Route[], options: RouterOptions): AdmittedHandler {
  const paths = methodsByPath(routes);
  const fail = (error: unknown, request: HttpRequest): HttpReply => {
    // Errors of an aborted computation are not reported, as the client has left.
    const cause = request.signal.aborted ? new Unavailable('the answer was aborted') : error;
    return errorReply(cause, options.log);
  };
  return (request) => {
    try {
      const reply = dispatch(paths, request, options);
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

function dispatch(
  paths: ReadonlyMap<string, Methods>,
  request: AdmittedRequest,
  { log, dialects = 'kubecost' }: RouterOptions,
): Promise<HttpReply> | HttpReply {
  const methods = paths.get(withoutPrefix(request.path))?.[dialectOf(request.path, dialects)];
  if (methods === undefined || methods.size === 0) throw unknownPath(request.path, paths);
  const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
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

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function allowed(methods: ReadonlyMap<string, Route>): string {
  const names = [...methods.keys(), 'OPTIONS'];
  return (methods.has('GET') ? ['HEAD', ...names] : names).toSorted().join(', ');
}

function unknownPath(path: string, paths: ReadonlyMap<string, Methods>): Fault {
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  const bare = withoutPrefix(path).replace(/\/{1,8}$/, '');
  return new Fault(`there is nothing at ${shown}`, {
    status: 404,
    ...(paths.has(bare) ? { hint: `without the slash at its end it is there: ${bare}` } : {}),
  });
}

function wrongMethod(request: HttpRequest, allow: string): Fault {
  return new Fault(`${request.path} does not take ${request.method.slice(0, 20)}`, {
    status: 405,
    hint: `it takes ${allow}`,
  });
}
