/** Checks bodies and files: a JSON Schema in, a typed value or a Fault out. */
import { createRequire } from 'node:module';
import type * as ajv from 'ajv';
import type { ErrorObject, JSONSchemaType, ValidateFunction } from 'ajv';
import { Fault } from '../fault.ts';
import { nearest } from './nearest.ts';

/**
 * Checks a parsed value.
 * @param what the value is, for messages: `the body`, `collections.json`, `line 3`
 * @throws Fault naming the field (`groups[2].selectors.cloud`), its value and what is accepted
 */
export interface Shape<T> {
  (value: unknown, what: string): T;
  /** What is checked by, and a value that passes, for the description of the API. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string;
}

const SHOWN_MAX = 80;

/**
 * The schema is compiled at its first use. Values are neither changed nor completed.
 * @param example for hints, such as `{"name":"Team A"}`
 */
export function shapeOf<T>(schema: JSONSchemaType<T>, example: string): Shape<T> {
  let check: ValidateFunction<T> | undefined;
  const read = (value: unknown, what: string): T => {
    check ??= compile(schema);
    if (check(value)) return value;
    throw faultOf(check.errors?.[0], what, example);
  };
  return Object.assign(read, { schema: { ...schema }, example });
}

/** The compiler is loaded at the first call: most threads never need it. */
function compile<T>(schema: JSONSchemaType<T>): ValidateFunction<T> {
  const { Ajv } = createRequire(import.meta.url)('ajv') as typeof ajv;
  return new Ajv({ strictTypes: false, verbose: true }).compile<T>(schema);
}

/**
 * @param text of a JSON document
 * @throws Fault for invalid JSON, with the parser's own message
 */
export function readJson(text: string, what: string, example: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${what} is not JSON: ${why}`, { hint: `for example ${example}`, cause });
  }
}

function faultOf(error: ErrorObject | undefined, what: string, example: string): Fault {
  if (error === undefined) throw new Error('BUG: a shape was refused without a reason');
  const place = placeOf(error.instancePath);
  const where = place === '' ? what : `'${place}' of ${what}`;
  return new Fault(`${where} ${complaintOf(error)}`, {
    ...(place === '' ? {} : { parameter: place }),
    hint: `for example ${example}`,
  });
}

/** `/groups/2/name` as `groups[2].name`. */
function placeOf(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}

type Complaint = (error: ErrorObject, params: Readonly<Record<string, unknown>>) => string;

const COMPLAINTS: Readonly<Record<string, Complaint>> = {
  required: (_, { missingProperty }) => `lacks '${String(missingProperty)}'`,
  additionalProperties: (error, { additionalProperty }) => {
    const known = Object.keys(Object(error.parentSchema?.['properties']));
    const near = nearest(String(additionalProperty), known);
    const instead = near === undefined ? `it takes ${known.join(', ')}` : `is it '${near}'?`;
    return `has '${shown(additionalProperty)}', which is not known; ${instead}`;
  },
  type: (error, { type }) => `is ${shown(error.data)}; it takes ${[type].flat().join(' or ')}`,
  enum: (error, { allowedValues }) =>
    `is ${shown(error.data)}; it takes ${[allowedValues].flat().map(shown).join(' or ')}`,
};

function complaintOf(error: ErrorObject): string {
  const complaint = COMPLAINTS[error.keyword];
  if (complaint !== undefined) return complaint(error, error.params);
  return `is ${shown(error.data)}; it ${error.message ?? 'is not accepted'}`;
}

/** The start of the value as JSON; no more is made than is shown, as callers' values may be huge and deep. */
function shown(value: unknown): string {
  let text = '';
  for (const part of partsOf(value)) {
    text += part;
    if (text.length > SHOWN_MAX) return `${text.slice(0, SHOWN_MAX)}…`;
  }
  return text;
}

function* partsOf(value: unknown): Generator<string, void> {
  if (typeof value === 'string') yield JSON.stringify(value.slice(0, SHOWN_MAX + 1));
  else if (Array.isArray(value)) {
    yield '[';
    for (const [i, item] of value.entries()) {
      if (i > 0) yield ',';
      yield* partsOf(item);
    }
    yield ']';
  } else if (typeof value === 'object' && value !== null) {
    let before = '{';
    for (const name in value) {
      yield `${before}${JSON.stringify(name.slice(0, SHOWN_MAX + 1))}:`;
      yield* partsOf(Reflect.get(value, name));
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else yield JSON.stringify(value) ?? 'nothing';
}
