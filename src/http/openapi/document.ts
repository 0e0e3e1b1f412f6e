/** The document of the API in OpenAPI 3.1, made of the routes that are served and of their descriptions. */
import { dialectOf, withoutPrefix, type DialectRule } from '../spelling/dialect.ts';
import type { Route } from '../route.ts';
import type {
  Described,
  DescribedBody,
  DescribedParameter,
  DescribedParameters,
  DescribedRoom,
  Schema,
} from './described.ts';

export type ServedRoute = Pick<Route, 'method' | 'path' | 'dialect' | 'needs' | 'scoping'>;

/** Statuses of errors that any route may have, by who has to act. */
const ANY_ERROR: Readonly<Record<number, string>> = {
  400: 'a parameter, a filter or the body is wrong',
  401: 'who asks has to sign in',
  403: 'the role or the filter of who asks does not suffice, or the capability is switched off',
  408: 'the body took too long',
  413: 'the body is too long',
  414: 'the query is too long',
  415: 'the body is of another type',
  421: 'the name of the host is not one of this server',
  422: 'the answer needs more memory than it may have, or the body cannot be carried out',
  429: 'the client asks too often',
  431: 'the head is too long',
  502: 'the metrics store answered something unusable',
  503: 'too much waits, or what is asked beside cannot answer',
  504: 'the metrics store did not answer in time',
};
const OWN_ERROR: Readonly<Record<number, string>> = {
  404: 'there is nothing of that id',
  406: 'the client takes no form that there is',
  409: 'it is already there, or another changed it',
  412: 'it is not the one that the condition names',
};

const ERROR: Schema = {
  type: 'object',
  required: ['code', 'message', 'data'],
  properties: {
    code: { type: 'integer' },
    message: { type: 'string' },
    data: { type: 'null' },
    parameter: { type: 'string' },
    hint: { type: 'string' },
  },
  additionalProperties: false,
};

export interface Documented {
  readonly version: string;
  readonly dialects: DialectRule;
}

/**
 * Each path of each route, in the dialects that are served there.
 * @throws {Error} BUG: a route without description
 */
export function openApiOf(
  routes: readonly ServedRoute[],
  rooms: readonly DescribedRoom[],
  { version, dialects }: Documented,
): Schema {
  const components = new Components();
  const paths: Record<string, Record<string, Schema>> = {};
  for (const route of routes) {
    const plain = withoutPrefix(route.path);
    for (const path of [`/model${plain}`, plain]) {
      if (route.dialect !== undefined && dialectOf(path, dialects) !== route.dialect) continue;
      const operation = operationOf(route, path, descriptionOf(rooms, route), components);
      (paths[path] ??= {})[route.method.toLowerCase()] = operation;
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'prorata', version, description: ABOUT, license: LICENSE },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Error: ERROR, ...Object.assign({}, ...rooms.map(({ schemas }) => schemas)) },
      parameters: components.parameters,
      responses: Object.fromEntries(
        Object.entries({ ...ANY_ERROR, ...OWN_ERROR }).map(([status, description]) => [
          `Error${status}`,
          {
            description,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        ]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' };
const ABOUT =
  'What Kubernetes workloads cost. HEAD works wherever GET does, OPTIONS lists the methods of a path. Names of ' +
  'parameters may be written in any case; an empty value means unset; unknown ones are told in warnings.';

/** The keys of a route's description, the more exact first. */
function keysOf({ method, path, dialect }: ServedRoute): readonly string[] {
  const key = `${method} ${withoutPrefix(path)}`;
  return dialect === undefined ? [key] : [`${dialect} ${key}`, key];
}

/** Routes that no room describes, and descriptions that are of no route. */
export function undescribed(
  routes: readonly ServedRoute[],
  rooms: readonly DescribedRoom[],
): string[] {
  const found = new Set<string>();
  const lacking = routes.flatMap((route) => {
    const keys = keysOf(route);
    const key = keys.find((each) => rooms.some((room) => each in room.routes));
    if (key !== undefined) found.add(key);
    return key === undefined ? [`${keys.join(' or ')}: no description`] : [];
  });
  const described = rooms.flatMap((room) => Object.keys(room.routes));
  const stray = described.filter((key) => !found.has(key));
  return [...lacking, ...stray.map((key) => `${key}: no such route`)];
}

/** @throws {Error} BUG: no room describes the route */
export function descriptionOf(rooms: readonly DescribedRoom[], route: ServedRoute): Described {
  for (const key of keysOf(route)) {
    const room = rooms.find(({ routes }) => key in routes);
    const described = room?.routes[key];
    if (described !== undefined) return described;
  }
  throw new Error(`BUG: ${route.method} ${route.path} has no description`);
}

function operationOf(
  { method, needs, scoping }: ServedRoute,
  path: string,
  described: Described,
  components: Components,
): Schema {
  const {
    summary,
    parameters = {},
    body,
    answers,
    status = 200,
    empty,
    errors = [],
    others = {},
  } = described;
  const statuses = [...Object.keys(ANY_ERROR).map(Number), ...errors].toSorted((a, b) => a - b);
  const unchanged = method === 'GET' ? { 304: { description: 'as the client has it' } } : {};
  return {
    summary,
    operationId: operationIdOf(method, path),
    tags: [withoutPrefix(path).split('/')[1] || 'server'],
    parameters: components.refer(parameters),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body) }),
    responses: {
      [status]: {
        description: 'the answer',
        ...(Object.keys(answers).length === 0 ? {} : { content: contentOf(answers) }),
      },
      ...(empty === undefined ? {} : { [empty]: { description: 'taken; there is no answer' } }),
      ...unchanged,
      ...Object.fromEntries(statuses.map((each) => [each, errorOf(each, others[each])])),
    },
    security: needs === 'nobody' ? [] : [{ token: [] }, {}],
    'x-role': needs,
    'x-rows': typeof scoping === 'string' ? scoping : `refused: ${scoping.refused}`,
  };
}

function errorOf(status: number, other: Schema | undefined): Schema {
  if (other === undefined) return { $ref: `#/components/responses/Error${status}` };
  const schema = { anyOf: [other, { $ref: '#/components/schemas/Error' }] };
  return {
    description: { ...ANY_ERROR, ...OWN_ERROR }[status],
    content: contentOf({ 'application/json': schema }),
  };
}

function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const upper = words.map((part) => part.charAt(0).toUpperCase() + part.slice(1));
  return method.toLowerCase() + upper.join('') || method.toLowerCase();
}

function contentOf(answers: Described['answers']): Schema {
  return Object.fromEntries(Object.entries(answers).map(([type, schema]) => [type, { schema }]));
}

function requestBodyOf({ schema, types = ['application/json'], example }: DescribedBody): Schema {
  const content = { schema: standardSchema(schema), example };
  return { required: true, content: Object.fromEntries(types.map((type) => [type, content])) };
}

/** The schema without `nullable`, which is a word of the validator's: null is a type of its own. */
export function standardSchema(schema: Schema): Schema {
  return standard(schema) as Schema;
}

function standard(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(standard);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, ...rest } = schema as { readonly nullable?: unknown };
  const plain: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, standard(value)]),
  );
  if (nullable !== true) return plain;
  const types = [plain['type']].flat();
  const words = plain['enum'];
  return {
    ...plain,
    type: [...types, 'null'],
    ...(Array.isArray(words) ? { enum: [...words, null] } : {}),
  };
}

/** Parameters by name; those of one name that differ have a number behind it. */
class Components {
  readonly parameters: Record<string, Schema> = {};
  readonly #keys = new Map<string, string>();

  refer(parameters: DescribedParameters): Schema[] {
    return Object.entries(parameters).map(([name, parameter]) => ({
      $ref: `#/components/parameters/${this.#keyOf(name, parameter)}`,
    }));
  }

  #keyOf(name: string, { says, schema, isRequired = false, example }: DescribedParameter): string {
    const whole = { name, in: 'query', required: isRequired, description: says, schema, example };
    const text = JSON.stringify(whole);
    const known = this.#keys.get(text);
    if (known !== undefined) return known;
    let [key, number] = [name, 1];
    while (key in this.parameters) key = `${name}-${++number}`;
    this.parameters[key] = { ...whole, example: valueOf(schema, example) };
    this.#keys.set(text, key);
    return key;
  }
}

/** An example as a value of its type. */
function valueOf({ type }: Schema, example: string): unknown {
  if (type === 'boolean') return example === 'true';
  return type === 'integer' || type === 'number' ? Number(example) : example;
}
