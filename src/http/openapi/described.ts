/** How routes are described: what they take and what they answer with, from which the document of the API is made. */

/** A JSON Schema, as plain data. */
export type Schema = Readonly<Record<string, unknown>>;

export interface DescribedParameter {
  readonly says: string;
  readonly schema: Schema;
  readonly isRequired?: boolean;
  /** As it stands in a query; it is accepted. */
  readonly example: string;
}

export type DescribedParameters = Readonly<Record<string, DescribedParameter>>;

export interface DescribedBody {
  /** The schema by which bodies are checked. */
  readonly schema: Schema;
  /** Absent: JSON. */
  readonly types?: readonly string[];
  readonly example: unknown;
}

export interface Described {
  readonly summary: string;
  readonly parameters?: DescribedParameters;
  readonly body?: DescribedBody;
  /** Bodies by content type; none: the answer has no body. */
  readonly answers: Readonly<Record<string, Schema>>;
  /** The status of an answer that is no error; default 200. */
  readonly status?: number;
  /** The status of an answer that says nothing but that the request was taken. */
  readonly empty?: number;
  /** Statuses of errors that not every route has. */
  readonly errors?: readonly number[];
  /** Bodies by status, in JSON, which that status may have beside that of errors. */
  readonly others?: Readonly<Record<number, Schema>>;
}

/** The description of a room's API. */
export interface DescribedRoom {
  /** By `GET /path`, without the prefix; `opencost GET /path` where that dialect has another answer. */
  readonly routes: Readonly<Record<string, Described>>;
  /** Schemas that answers refer to by name. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const BOOLEAN: Schema = { type: 'boolean' };
/** A number, or null where there is none. */
export const NULLABLE: Schema = { type: ['number', 'null'] };

export function named(schema: string): Schema {
  return { $ref: `#/components/schemas/${schema}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function mapOf(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** An object of members of one form. */
export function eachOf(names: readonly string[], schema: Schema): Readonly<Record<string, Schema>> {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

/** An object of these members alone. */
export function objectOf(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties, additionalProperties: false };
}

const CAVEATS = [
  'warnings',
  'warningDetails',
  'uncertainCost',
  'partial',
  'message',
  'nodeCosts',
  'status',
] as const;

/** Members that most answers have beside their data. */
export const CAVEAT_MEMBERS: Readonly<Record<string, Schema>> = {
  warnings: listOf(TEXT),
  warningDetails: listOf(
    objectOf({
      message: TEXT,
      cost: NULLABLE,
      clusters: listOf(TEXT),
      nodes: listOf(TEXT),
    }),
  ),
  uncertainCost: NUMBER,
  partial: { const: true },
  message: TEXT,
};

/** An answer without the envelope: members, and what is to be known of them. */
export function bare(
  members: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  return objectOf({ ...members, ...CAVEAT_MEMBERS }, [...optional, ...CAVEATS]);
}

/** The form of most answers: a code, data, and what is to be known of them. */
export function envelope(data: Schema): Readonly<Record<string, Schema>> {
  const members = {
    code: { const: 200 },
    status: { const: 'success' },
    data,
    ...CAVEAT_MEMBERS,
    nodeCosts: mapOf(NUMBER),
  };
  return { 'application/json': objectOf(members, CAVEATS) };
}

export function jsonOf(schema: Schema): Readonly<Record<string, Schema>> {
  return { 'application/json': schema };
}

/** A boolean in any spelling that is read. */
export function flag(says: string, byDefault?: boolean): DescribedParameter {
  const told = byDefault === undefined ? {} : { default: byDefault };
  return { says, schema: { type: 'boolean', ...told }, example: 'true' };
}

/** One word of some. */
export function word(
  says: string,
  words: readonly string[],
  byDefault?: string,
): DescribedParameter {
  const told = byDefault === undefined ? {} : { default: byDefault };
  return { says, schema: { type: 'string', enum: words, ...told }, example: words[0] ?? '' };
}

/** A whole number, 0 or more. */
export function count(says: string, example: string, bounds: Schema = {}): DescribedParameter {
  return { says, schema: { type: 'integer', minimum: 0, ...bounds }, example };
}

export function amount(says: string, example: string, bounds: Schema = {}): DescribedParameter {
  return { says, schema: { type: 'number', minimum: 0, ...bounds }, example };
}

export function text(says: string, example: string, byDefault?: string): DescribedParameter {
  const told = byDefault === undefined ? {} : { default: byDefault };
  return { says, schema: { type: 'string', ...told }, example };
}

export function needed(parameter: DescribedParameter): DescribedParameter {
  return { ...parameter, isRequired: true };
}

/** Lists that select rows. */
export function filters(
  names: readonly string[],
  filter: string,
  examples: Readonly<Record<string, string>> = {},
): DescribedParameters {
  return Object.fromEntries(
    names.map((name) => {
      const says =
        name === 'filter'
          ? 'rows of the answer: fields compared with values'
          : 'rows of the answer: a list; a * at the end of an item stands for any rest';
      const byForm = /Labels?$|Annotations$/.test(name) ? 'app:web' : 'web*';
      return [name, text(says, name === 'filter' ? filter : (examples[name] ?? byForm))];
    }),
  );
}

/** Parameters of windows of whole days. */
export function daysWindow(byDefault?: string): DescribedParameters {
  const window = text(
    'whole days, such as 7d, today, lastweek, or start,end',
    '2024-05-01,2024-05-03',
    byDefault,
  );
  return {
    window: byDefault === undefined ? needed(window) : window,
    exactWindow: flag('3d is three whole days, today the last; default --window-days'),
  };
}

export const PAGE: DescribedParameters = {
  limit: count('rows at most', '10'),
  offset: count('rows before them', '1'),
};

/** How days are made into sets. */
export function accumulated(units: readonly string[], byDefault?: string): DescribedParameters {
  return {
    accumulate: word('what the days of a set are', units, byDefault),
    accumulateBy: word('the same; it goes before accumulate', units),
  };
}

/** A route that completes what somebody types. */
export function autocompleted(
  summary: string,
  field: DescribedParameter,
  search: string,
  selection: DescribedParameters,
): Described {
  return {
    summary,
    parameters: {
      ...daysWindow(),
      field: needed(field),
      search: text('a part of the values', search),
      limit: count('values at most', '10'),
      ...selection,
    },
    answers: envelope(named('Values')),
  };
}
