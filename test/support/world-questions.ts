/**
 * Requests made of the document of the API: every operation, and every parameter with the values that its schema names
 * and with names of others' rows. Two idle parameters come together, as do formats with each parameter of allocations.
 */
import assert from 'node:assert/strict';
import { operationsOf } from './arbitraries/described-requests.ts';
import { DescribedApi, type ApiOperation, type ApiParameter } from './described-answers.ts';
import { OTHERS, type Asking, type World } from './servers/two-worlds.ts';

/** Names of others in one of the worlds, or in both. */
interface OthersNames {
  readonly namespaces: readonly string[];
  readonly clusters: readonly string[];
  readonly categories: readonly string[];
  readonly collectionIds: readonly string[];
}

export interface WorldQuestion extends Asking {
  /** `GET /model/allocation` */
  readonly route: string;
  /** What is tried: names of parameters, or a body. */
  readonly tried: string;
}

const WINDOW = '2024-05-01T00:00:00Z,2024-05-03T00:00:00Z';
/** Without the open day: ends of pods that still run have the milliseconds that reading took, in one world as in two. */
const WINDOWS = [WINDOW, '2024-05-01T00:00:00Z,2024-05-02T00:00:00Z', '2024-04-01T00:00:00Z,2024-05-03T00:00:00Z', 'yesterday']; // prettier-ignore
/** Computing takes long. */
const COMPUTED_WINDOW = '2024-05-02T06:00:00Z,2024-05-02T08:00:00Z';
const IDLE = ['idle=true&splitIdle=true&idleByNode=true', 'shareIdle=true&idleByNode=true', 'includeIdle=true&shareIdle=weighted&shareTenancyCosts=true', 'aggregate=node&idle=true&splitIdle=true']; // prettier-ignore
const FORMATS = ['csv', 'ndjson', 'arrow'];

function questionsOf(api: DescribedApi, names: OthersNames): WorldQuestion[] {
  return operationsOf(api).flatMap(([method, path, operation]) => {
    const parameters = api.parametersOf(operation);
    const route = `${method} ${path}`;
    const ask = (
      tried: string,
      query: readonly string[],
      more: Partial<Asking> = {},
    ): WorldQuestion => {
      const text = query.join('&');
      return {
        route,
        tried,
        method,
        path: text === '' ? path : `${path}?${text}`,
        ...bodyOf(operation),
        ...more,
      };
    };
    const required = parameters.filter((each) => each.required || isSubject(path, each));
    const base = (without?: ApiParameter): string[] =>
      required
        .filter((each) => each !== without)
        .map((each) => `${each.name}=${encodeURIComponent(usual(path, each))}`);
    const aggregated = parameters.some(({ name }) => name === 'aggregate')
      ? ['aggregate=namespace']
      : [];
    const formats =
      parameters.some(({ name }) => name === 'format') && path.includes('allocation')
        ? FORMATS
        : [];
    const singles = parameters.flatMap((parameter) =>
      valuesOf(path, parameter, names).map((value) =>
        ask(parameter.name, [...base(parameter), `${parameter.name}=${encodeURIComponent(value)}`]),
      ),
    );
    const idle = parameters.some(({ name }) => name === 'shareIdle')
      ? IDLE.flatMap((each) =>
          ['', ...formats].map((format) =>
            ask('idle', [...base(), each, ...(format === '' ? [] : [`format=${format}`])]),
          ),
        )
      : [];
    const bodies = bodiesOf(path, operation, names).map((body) => ask('body', base(), { body }));
    return [
      ask('', base()),
      ...(method === 'GET' ? [ask('', [...base(), ...aggregated], { method: 'HEAD' })] : []),
      ask('unknown parameter', [...base(), 'namespaces=payroll']),
      ...singles,
      ...idle,
      ...bodies,
    ];
  });
}

/** A query of collections takes an id or a category. */
function isSubject(path: string, { name }: ApiParameter): boolean {
  return path.includes('/query/') && name === 'category';
}

function usual(path: string, { name, example }: ApiParameter): string {
  if (!/^(window|range|before|after)/.test(name)) return String(example);
  if (name === 'before') return WINDOWS[1] ?? '';
  return path.includes('compute') || path === '/allocation' ? COMPUTED_WINDOW : WINDOW;
}

function valuesOf(path: string, parameter: ApiParameter, others: OthersNames): readonly string[] {
  const { name, schema, example } = parameter;
  const { namespaces, clusters, categories, collectionIds } = others;
  const own = usual(path, parameter);
  const { enum: words, type } = schema;
  if (/^(window|range)/.test(name)) return own === COMPUTED_WINDOW ? [own] : WINDOWS;
  if (name === 'id') return [...collectionIds, '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11', 'x'];
  if (name === 'category') return [...categories, 'none'];
  if (name === 'filter')
    return [
      ...namespaces.map((each) => `namespace:"${each}"`),
      ...clusters.map((each) => `cluster!:"${each}"`),
      'namespace!:"mine"',
      'team:"blue"',
      'name:(',
    ];
  if (/^(share|filter).*Namespaces$/.test(name)) return [...namespaces, 'none'];
  if (/Clusters$|^cluster/i.test(name)) return [...clusters, 'eu', 'none'];
  if (name.endsWith('Labels')) return ['team:blue', 'app:web-5d9c7b'];
  if (name === 'aggregate')
    return ['namespace', 'cluster', 'node', 'pod', 'label:team', 'type', 'service'];
  if (name === 'field')
    return ['namespace', 'cluster', 'node', 'pod', 'label', 'label:team', 'service', 'name'];
  if (Array.isArray(words)) return words.map(String);
  if (type === 'boolean') return ['true', 'false'];
  if (type === 'integer' || type === 'number') return [String(example), '1', '0', '100000'];
  return [...new Set([own, ...namespaces, 'a:"'])];
}

function bodyOf({ requestBody }: ApiOperation): Pick<Asking, 'body'> {
  const [content] = Object.values(requestBody?.content ?? {});
  if (content === undefined) return {};
  return {
    body: typeof content.example === 'string' ? content.example : JSON.stringify(content.example),
  };
}

/** Bodies that others' rows would answer, of the routes that take them. */
function bodiesOf(
  path: string,
  operation: ApiOperation,
  { namespaces, clusters, collectionIds, categories }: OthersNames,
): string[] {
  if (operation.requestBody === undefined) return [];
  if (path.endsWith('/query/total'))
    return [
      ...namespaces.map((each) => `namespace:"${each}"`),
      ...clusters.map((each) => `cluster:"${each}"`),
      'cluster:"eu"',
    ].map((filterString) =>
      JSON.stringify({
        name: 'a',
        category: categories[0],
        groups: [{ selectors: { kubernetes: { kind: 'container', filterString } } }],
      }),
    );
  if (path.endsWith('/speccost'))
    return ['mine', ...namespaces].map((namespace) =>
      JSON.stringify({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web', namespace },
        spec: {
          replicas: 1,
          template: {
            spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }] },
          },
        },
      }),
    );
  if (!path.endsWith('/mcp')) return [];
  const call = (method: string, params: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const tools = [
    'allocations',
    'allocations_on_demand',
    'allocation_trends',
    'field_values',
    'assets',
    'cloud_costs',
    'external_costs',
    'savings',
    'request_sizing',
    'data_quality',
    'collections',
    'none',
  ];
  return [
    call('tools/list', {}),
    ...tools.flatMap((name) =>
      [
        {},
        { idle: 'true', shareIdle: 'true' },
        { filter: `namespace:"${namespaces[0]}"` },
        { aggregate: 'cluster' },
        { id: collectionIds[0] },
      ].map((more) =>
        call('tools/call', {
          name,
          arguments: {
            ...(name === 'collections'
              ? {}
              : { window: name === 'allocations_on_demand' ? COMPUTED_WINDOW : WINDOW }),
            ...more,
          },
        }),
      ),
    ),
  ];
}

/** All questions, of the document that the first world serves. */
export async function worldQuestions(worlds: readonly [World, World]): Promise<WorldQuestion[]> {
  const documents = await Promise.all(worlds.map((world) => jsonOf(world, '/openapi.json')));
  assert.deepEqual(documents[0], documents[1]);
  const listed = await Promise.all(worlds.map((world) => jsonOf(world, '/collections')));
  const collections = listed.flatMap(
    (each) =>
      (
        each as {
          readonly collections: readonly { readonly id: string; readonly category: string }[];
        }
      ).collections,
  );
  return questionsOf(new DescribedApi(documents[0] as object), {
    namespaces: OTHERS.flatMap(({ namespaces }) => Object.keys(namespaces)),
    clusters: OTHERS.flatMap(({ clusters }) => clusters),
    categories: collections.map(({ category }) => category),
    collectionIds: collections.map(({ id }) => id),
  });
}

async function jsonOf(world: World, path: string): Promise<unknown> {
  const { status, body } = await world.ask('admin', { method: 'GET', path });
  assert.equal(status, 200);
  return JSON.parse(body.toString()) as unknown;
}

/** Asks some at the same time. */
export async function eachQuestion(
  questions: readonly WorldQuestion[],
  ask: (question: WorldQuestion, place: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let place = next++; place < questions.length; place = next++) {
      const question = questions[place];
      if (question !== undefined) await ask(question, place);
    }
  };
  await Promise.all(Array.from({ length: 3 }, lane));
}
