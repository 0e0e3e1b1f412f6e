/** What can follow in a filter that is being written: fields, operators, values. */

/** What filters of one kind of rows take. */
export interface Grammar {
  readonly fields: readonly string[];
  /** Fields with names of their own, such as `label[app]`. */
  readonly maps: readonly string[];
  /** Tells the values of a field. */
  readonly values: string;
  readonly example: string;
}

const ALLOCATION_FIELDS = [
  'cluster',
  'namespace',
  'controllerName',
  'controllerKind',
  'pod',
  'container',
  'node',
  'services',
  'instanceType',
  'region',
  'zone',
  'nodePool',
  'providerID',
  'team',
  'department',
  'environment',
  'owner',
  'product',
] as const;

export const ALLOCATIONS: Grammar = {
  fields: ALLOCATION_FIELDS,
  maps: ['label', 'annotation'],
  values: 'model/allocation/autocomplete',
  example: 'namespace:"web"',
};

export const CLOUD_COSTS: Grammar = {
  fields: [
    'service',
    'category',
    'provider',
    'accountID',
    'accountName',
    'regionID',
    'availabilityZone',
    'invoiceEntityID',
    'invoiceEntityName',
    'providerID',
  ],
  maps: ['label'],
  values: 'model/cloudCost/autocomplete',
  example: 'service:"AmazonS3"',
};

export const ASSETS: Grammar = {
  fields: [
    'name',
    'cluster',
    'assetType',
    'category',
    'provider',
    'providerID',
    'account',
    'project',
    'team',
    'department',
    'environment',
    'owner',
    'product',
  ],
  maps: ['label'],
  values: 'model/assets/autocomplete',
  example: 'name:"node-1"',
};

/** What is being written at the end of the text before the cursor. */
export type Place =
  | { readonly is: 'field'; readonly begun: string; readonly start: number }
  | { readonly is: 'label'; readonly kind: string; readonly begun: string; readonly start: number }
  | { readonly is: 'value'; readonly field: string; readonly begun: string; readonly start: number }
  | { readonly is: 'joint' };

const OPERATOR = /^(!?(?:<~|~>|~)?:)/;

/** @param text a filter up to the cursor */
export function placeIn(text: string): Place {
  let at = 0;
  let field = '';
  let place: Place = { is: 'field', begun: '', start: 0 };
  while (at < text.length) {
    const rest = text.slice(at);
    const blank = /^[\s+|()]+/.exec(rest)?.[0];
    if (blank !== undefined) {
      at += blank.length;
      place = { is: 'field', begun: '', start: at };
      continue;
    }
    const name = /^[\w]+(?:\[([^\]]*)(\]?))?/.exec(rest);
    if (name === null) return { is: 'joint' };
    const [whole, inner, end] = name;
    field = whole;
    if (inner !== undefined && end === '') {
      const kind = whole.slice(0, whole.indexOf('['));
      return { is: 'label', kind, begun: inner, start: at + kind.length + 1 };
    }
    place = { is: 'field', begun: whole, start: at };
    at += whole.length;
    const operator = OPERATOR.exec(text.slice(at))?.[0];
    if (operator === undefined) return at >= text.length ? place : { is: 'joint' };
    at += operator.length;
    const value = valueFrom(text, at);
    if (value.isOpen) return { is: 'value', field, begun: value.begun, start: value.start };
    at = value.end;
    place = { is: 'joint' };
  }
  return place;
}

interface ReadValue {
  readonly begun: string;
  readonly start: number;
  readonly end: number;
  /** It is the last, and may go on. */
  readonly isOpen: boolean;
}

/** Values with commas: the last of them is what is being written. */
function valueFrom(text: string, from: number): ReadValue {
  let start = from;
  for (;;) {
    if (text[start] !== '"') {
      const bare = /^[^\s+|(),"]*/.exec(text.slice(start))?.[0] ?? '';
      const end = start + bare.length;
      if (end >= text.length) return { begun: bare, start, end, isOpen: true };
      if (text[end] !== ',') return { begun: bare, start, end, isOpen: false };
      start = end + 1;
      continue;
    }
    const inQuotes = /^"((?:\\.|[^"\\])*)("?)/s.exec(text.slice(start));
    const [whole = '', inner = '', quote = ''] = inQuotes ?? [];
    const end = start + whole.length;
    if (quote === '') {
      return { begun: inner.replace(/\\(.)/gs, '$1'), start, end: text.length, isOpen: true };
    }
    if (text[end] !== ',') return { begun: inner, start, end, isOpen: false };
    start = end + 1;
  }
}

/** Where a message of the parser points: `… at character 15 …`, from 1; undefined: nowhere. */
export function errorPlace(message: string): number | undefined {
  const found = /at character (\d+)/.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}
