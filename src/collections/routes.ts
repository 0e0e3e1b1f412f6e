/** Routes that create, read, change and remove collections, under both spellings of the path. */
import {
  bytes,
  caveatHeaders,
  fingerprint,
  inTurn,
  json,
  paramsOf,
  unchanged,
  type HttpReply,
  type HttpRequest,
  type QueryParams,
  type Route,
} from '../http/index.ts';
import type { Admission, Compute } from '../pool/index.ts';
import { Fault } from '../query/index.ts';
import type { Checked } from './collection.ts';
import type { Configs } from './idle.ts';
import { readId, type IsExpected, type Registry } from './registry.ts';
import type { CollectionTasks, Grammars } from './tasks.ts';

/** Clients use either. */
export const SPELLINGS = ['/collections', '/collection'] as const;

/** Why callers with a filter are refused. */
export const NAMES_OF_ALL = 'collections name the rows of everybody';

const UUID_EXAMPLE = '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11';

/** A worker's result is about as large, and the main thread unpacks it in one go. */
const BODY_MAX_BYTES = 128 * 1024;

export interface RegistryRouteOptions {
  readonly registry: Registry;
  readonly grammars: Grammars;
  readonly compute: Compute<CollectionTasks>;
  readonly admission: Admission;
}

export function registryRoutes(options: RegistryRouteOptions): Route[] {
  const { registry } = options;
  const handlers: readonly Handler[] = [
    [
      'POST',
      '',
      async (_, request) =>
        registry.create(await checkedIn(options, request, null), request.visit.record),
    ],
    ['PUT', '', (params, request) => replaced(options, readId(idIn(params)), request)],
    [
      'DELETE',
      '',
      (params, request) => registry.remove(idIn(params), request.visit.record, expectedBy(request)),
    ],
    ['GET', '/configs', () => ({ idle: registry.idle }) satisfies Configs],
    ['PUT', '/configs', (_, request) => changeConfigs(options, request)],
    ['POST', '/configs', (_, request) => changeConfigs(options, request)],
  ];
  return SPELLINGS.flatMap((spelling) => [
    listRoute(registry, spelling),
    ...handlers.map(([method, path, answer]): Route => ({
      method,
      path: `${spelling}${path}`,
      needs: method === 'GET' ? 'viewer' : 'editor',
      ...(method === 'GET'
        ? {}
        : { changes: path === '' ? CHANGES[method] : 'collections.configs' }),
      scoping: { refused: NAMES_OF_ALL },
      async handle(request): Promise<HttpReply> {
        const params = paramsOf(request);
        const reply = json(await answer(params, request));
        return telling(path === '' && method !== 'DELETE' ? tagged(reply) : reply, params);
      },
    })),
  ]);
}

const CHANGES: Readonly<Record<'POST' | 'PUT' | 'PATCH' | 'DELETE', string>> = {
  POST: 'collection.create',
  PUT: 'collection.replace',
  PATCH: 'collection.replace',
  DELETE: 'collection.remove',
};

type Answer = (params: QueryParams, request: HttpRequest) => Promise<object> | object;
type Handler = readonly [method: Route['method'], path: string, answer: Answer];

/** The reply, with parameters that nothing has read in its head: its body has no place for warnings. */
function telling(reply: HttpReply, params: QueryParams): HttpReply {
  const told = caveatHeaders({ warnings: params.ignored(), isPartial: false });
  return { ...reply, headers: { ...reply.headers, ...told } };
}

/** A reply whose body is one collection, with its tag. */
function tagged(reply: HttpReply): HttpReply {
  return { ...reply, headers: { ...reply.headers, etag: `"${fingerprint(reply.body)}"` } };
}

/** https://www.rfc-editor.org/rfc/rfc9110#name-if-match; without it any collection is expected. */
function expectedBy(request: HttpRequest): IsExpected {
  const wanted = request.header('if-match');
  const tags = wanted.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return (json) => wanted === '' || tags.includes('*') || tags.includes(`"${fingerprint(json)}"`);
}

/** @throws {Fault} when the id is missing */
function idIn(params: QueryParams): string {
  return params.required('id', 'the id of a collection', UUID_EXAMPLE);
}

function listRoute(registry: Registry, path: string): Route {
  return {
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: { refused: NAMES_OF_ALL },
    handle(request) {
      const params = paramsOf(request);
      const [id, category] = [params.text('id'), params.text('category')];
      if (id !== undefined) {
        const reply = tagged(json(registry.get(id).collection));
        return unchanged(request, reply.headers) ?? telling(reply, params);
      }
      const listed = registry.list(category).map((known) => known.json);
      const reply = bytes('application/json', `{"collections":[${listed.join(',')}]}`);
      return telling(reply, params);
    },
  };
}

async function replaced(
  options: RegistryRouteOptions,
  id: string,
  request: HttpRequest,
): Promise<object> {
  const { record } = request.visit;
  const checked = await checkedIn(options, request, id);
  return await options.registry.replace(id, checked, record, expectedBy(request));
}

async function checkedIn(
  options: RegistryRouteOptions,
  { body, signal }: HttpRequest,
  id: string | null,
): Promise<Checked> {
  const { compute, grammars, admission } = options;
  const read = (): Promise<Checked> =>
    compute.pool.run('readCollection', { body, grammars, id }, signal);
  refuseLong(body);
  return await inTurn(admission, signal, read);
}

async function changeConfigs(
  options: RegistryRouteOptions,
  { body, signal, visit }: HttpRequest,
): Promise<Configs> {
  const { compute, registry, admission } = options;
  refuseLong(body);
  const idle = await inTurn(admission, signal, () =>
    compute.pool.run('readConfigs', { body }, signal),
  );
  return { idle: await registry.setIdle(idle, visit.record) };
}

/** @throws {Fault} 413 */
export function refuseLong(body: Uint8Array): void {
  if (body.length <= BODY_MAX_BYTES) return;
  throw new Fault(`the body has ${body.length} bytes; a collection takes ${BODY_MAX_BYTES}`, {
    status: 413,
    hint: 'name what is meant by a label, a prefix or a namespace instead of one by one',
  });
}
