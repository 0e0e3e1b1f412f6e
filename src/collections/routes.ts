/** Collections themselves: made, read, changed and removed, by either spelling of the path. */
import {
  json,
  parseQuery,
  type HttpReply,
  type HttpRequest,
  type QueryParams,
  type Route,
} from '../http/index.ts';
import { readJson } from '../query/index.ts';
import { EXAMPLE } from './collection.ts';
import { configsOf, type Configs } from './idle.ts';
import type { Registry } from './registry.ts';

/** Both are served: clients know either. */
export const SPELLINGS = ['/collections', '/collection'] as const;

const UUID_EXAMPLE = '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11';

export function registryRoutes(registry: Registry): Route[] {
  const handlers: readonly Handler[] = [
    ['GET', '', (params) => listOrOne(registry, params)],
    ['POST', '', (_, request) => registry.create(bodyOf(request, EXAMPLE))],
    ['PUT', '', (params, request) => registry.replace(idIn(params), bodyOf(request, EXAMPLE))],
    ['DELETE', '', (params) => registry.remove(idIn(params))],
    ['GET', '/configs', () => ({ idle: registry.idle }) satisfies Configs],
    ['PUT', '/configs', (_, request) => changeConfigs(registry, request)],
    ['POST', '/configs', (_, request) => changeConfigs(registry, request)],
  ];
  return SPELLINGS.flatMap((spelling) =>
    handlers.map(([method, path, answer]) => ({
      method,
      path: `${spelling}${path}`,
      handle: async (request: HttpRequest): Promise<HttpReply> =>
        json(await answer(parseQuery(request.query), request)),
    })),
  );
}

type Answer = (params: QueryParams, request: HttpRequest) => Promise<object> | object;
type Handler = readonly [method: Route['method'], path: string, answer: Answer];

/** @throws {Fault} when it is missing */
function idIn(params: QueryParams): string {
  return params.required('id', 'the id of a collection', UUID_EXAMPLE);
}

function listOrOne(registry: Registry, params: QueryParams): object {
  const id = params.text('id');
  if (id !== undefined) return registry.get(id).collection;
  const known = registry.list(params.text('category'));
  return { collections: known.map(({ collection }) => collection) };
}

async function changeConfigs(registry: Registry, request: HttpRequest): Promise<Configs> {
  const { idle } = configsOf(bodyOf(request, '{"idle":"shareByCluster"}'), 'the body');
  return { idle: await registry.setIdle(idle) };
}

function bodyOf({ body }: HttpRequest, example: string): unknown {
  return readJson(Buffer.from(body).toString('utf8'), 'the body', example);
}
