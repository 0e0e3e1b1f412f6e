/** Arguments of tools: their schemas, made of the descriptions of routes, and the request that they become. */
import {
  standardSchema,
  type Described,
  type DescribedParameters,
  type Schema,
} from '../http/index.ts';
import { Fault, nearest } from '../query/index.ts';
import { isFields, type Fields, type Tool } from './tool.ts';

/** Parameters of forms that a tool has not, and of what only old clients send. */
const OMITTED: ReadonlySet<string> = new Set(['format', 'columns', 'decimals', 'shape', 'order']);
/** `filter` says the same. */
const OLD_FILTER = /^filter[A-Z]/;

/** Rows of a result where the caller does not say. */
const ROWS_DEFAULT = 25;
export const ROWS_MAX = 1000;
const SHOWN_MAX = 80;

const PAGE: Readonly<Record<'limit' | 'offset', Schema>> = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: ROWS_MAX,
    default: ROWS_DEFAULT,
    description: 'rows at most',
  },
  offset: { type: 'integer', minimum: 0, default: 0, description: 'rows before them' },
};

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What a caller gives, checked as far as it is not for the route to check. */
export interface Given {
  readonly query: ReadonlyMap<string, string>;
  readonly page: Page;
  /** What is sent as the body. */
  readonly body: { readonly text: string; readonly type: string } | undefined;
}

/** Parameters of the route that the tool takes, without those of pages. */
function offered(tool: Tool, { parameters = {} }: Described): DescribedParameters {
  const isOffered = (name: string, says: string): boolean =>
    tool.takes?.includes(name) ??
    !(
      OMITTED.has(name) ||
      name in PAGE ||
      OLD_FILTER.test(name) ||
      says.startsWith('changes nothing')
    );
  const all = Object.entries(parameters);
  return Object.fromEntries(all.filter(([name, { says }]) => isOffered(name, says)));
}

/** What a route answers of its rows: a page; the first ones; all. */
export function pagingOf({ parameters = {} }: Described): 'page' | 'first' | 'all' {
  if (!('limit' in parameters)) return 'all';
  return 'offset' in parameters ? 'page' : 'first';
}

export function inputSchemaOf(tool: Tool, described: Described): Schema & { type: 'object' } {
  const { defaults = {}, body } = tool;
  const parameters = Object.entries(offered(tool, described));
  const properties = parameters.map(([name, { says, schema, example }]) => {
    const standing =
      defaults[name] === undefined ? {} : { default: valueOf(schema, defaults[name]) };
    const of = { ...schema, ...standing, description: says, examples: [valueOf(schema, example)] };
    return [name, of] as const;
  });
  const required = parameters
    .filter(([name, { isRequired = false }]) => isRequired && defaults[name] === undefined)
    .map(([name]) => name);
  const sent = bodySchemaOf(tool, described);
  return {
    type: 'object',
    properties: {
      ...(body === undefined ? {} : { [body.name]: { ...sent, description: body.says } }),
      ...Object.fromEntries(properties),
      ...(tool.hasRows ? PAGE : {}),
    },
    required: [...(body === undefined ? [] : [body.name]), ...required],
    additionalProperties: false,
  };
}

function bodySchemaOf({ body }: Tool, described: Described): Schema {
  if (body?.type !== 'application/json' || described.body === undefined) return { type: 'string' };
  return standardSchema(described.body.schema);
}

function valueOf({ type }: Schema, text: string): unknown {
  if (type === 'boolean') return text === 'true';
  return type === 'integer' || type === 'number' ? Number(text) : text;
}

/** @throws {Fault} naming the argument, its value and what is accepted */
export function readArguments(tool: Tool, described: Described, given: unknown): Given {
  if (given !== undefined && !isFields(given)) throw new Fault('arguments are no object');
  const { defaults = {}, body } = tool;
  const accepted = Object.keys(inputSchemaOf(tool, described)['properties'] as Fields);
  const args = new Map(Object.entries(given ?? {}));
  for (const name of args.keys()) if (!accepted.includes(name)) throw unknown(tool, name, accepted);
  const query = new Map(Object.entries(defaults));
  for (const [name, value] of args) {
    if (name === body?.name || name in PAGE) continue;
    query.set(name, scalar(name, value));
  }
  return {
    query,
    page: {
      limit: whole('limit', args.get('limit'), 1, ROWS_MAX, ROWS_DEFAULT),
      offset: whole('offset', args.get('offset'), 0, Number.MAX_SAFE_INTEGER, 0),
    },
    body:
      body === undefined ? undefined : { text: bodyOf(body, args.get(body.name)), type: body.type },
  };
}

function bodyOf({ name, type }: NonNullable<Tool['body']>, value: unknown): string {
  if (value === undefined || value === null) {
    throw new Fault(`argument '${name}' is missing`, { parameter: name });
  }
  if (type === 'application/json') return JSON.stringify(value);
  if (typeof value === 'string') return value;
  throw new Fault(`argument '${name}' is ${shown(value)}; it takes a text`, { parameter: name });
}

function scalar(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Fault(`argument '${name}' is ${shown(value)}; it takes a text, a number or a boolean`, {
    parameter: name,
    hint: 'items of lists are separated by commas',
  });
}

function whole(
  name: string,
  value: unknown,
  least: number,
  most: number,
  byDefault: number,
): number {
  if (value === undefined) return byDefault;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (
    typeof number === 'number' &&
    Number.isSafeInteger(number) &&
    number >= least &&
    number <= most
  )
    return number;
  throw new Fault(
    `argument '${name}' is ${shown(value)}; it takes a whole number of ${least} to ${most}`,
    { parameter: name },
  );
}

/** The value; only the kind of a list or an object, which may be huge and deep. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'string' ? `'${value.slice(0, SHOWN_MAX)}'` : String(value);
}

function unknown({ name: tool }: Tool, name: string, accepted: readonly string[]): Fault {
  const near = nearest(name, accepted);
  const meant = near === undefined ? '' : `did you mean '${near}'? `;
  return new Fault(`${tool} takes no argument '${name.slice(0, SHOWN_MAX)}'`, {
    parameter: name.slice(0, SHOWN_MAX),
    hint: `${meant}it takes ${accepted.join(', ')}`,
  });
}
