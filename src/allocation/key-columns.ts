/** What rows are grouped by: for each key a column of codes of the parts of names. */
import type { DictionaryBuilder, Frame, Texts } from '../columnar/index.ts';
import type { AggregateKey, Property } from '../query/index.ts';
import { parseLabels, parseServices } from './members.ts';
import { IDENTITY_COLUMNS } from './schema.ts';
import { UNMOUNTED } from './workloads.ts';

const UNALLOCATED = '__unallocated__';

/** Rows and the dictionary of their codes. */
export interface Rows {
  readonly frame: Frame;
  readonly texts: Texts;
}

/** The column's codes, translated to `texts`; each different code once. */
function translate(codes: Uint32Array, text: (code: number) => string, to: DictionaryBuilder) {
  const known = new Map<number, number>();
  return codes.map((code) => {
    const there = known.get(code) ?? to.code(text(code));
    known.set(code, there);
    return there;
  });
}

export function plainColumn(rows: Rows, name: string, texts: DictionaryBuilder): Uint32Array {
  return translate(rows.frame.u32(name), (code) => rows.texts.text(code), texts);
}

/** What a key gives for each row: `name=value` for a label, `kind:name` for a controller. */
export function keyColumn(rows: Rows, key: AggregateKey, texts: DictionaryBuilder): Uint32Array {
  if (key.kind !== 'property') {
    const column = key.kind === 'label' ? 'labels' : 'annotations';
    const text = (code: number): string => {
      const value = parseLabels(rows.texts.text(code)).get(key.name);
      return value ? `${key.name}=${value}` : UNALLOCATED;
    };
    return translate(rows.frame.u32(column), text, texts);
  }
  const { property } = key;
  const column = IDENTITY_COLUMNS.find((name) => name === property);
  if (property === 'controller') return controllerColumn(rows, texts, controllerText);
  if (column) {
    return translate(rows.frame.u32(column), (code) => rows.texts.text(code) || UNALLOCATED, texts);
  }
  const kind = CONTROLLER_KINDS.find((name) => name === property);
  if (kind) return controllerColumn(rows, texts, nameOfKind(kind));
  if (property === 'service') return serviceColumn(rows, texts);
  const names = LABELS_OF_ALIAS[property];
  if (names) return aliasColumn(rows, names, texts);
  throw new Error(`BUG: rows cannot be grouped by ${property}`);
}

/** Properties that are the name of a controller of that kind. */
const CONTROLLER_KINDS = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

/** Labels behind the properties that organisations name costs by; the peers' defaults. */
const LABELS_OF_ALIAS: Readonly<Partial<Record<Property, string>>> = {
  department: 'department',
  environment: 'env',
  owner: 'owner',
  product: 'app',
  team: 'team',
};

/** The first service by name: a pod behind several counts once; what no pod uses is told apart. */
function serviceColumn(rows: Rows, texts: DictionaryBuilder): Uint32Array {
  const text = (code: number): string => parseServices(rows.texts.text(code))[0] ?? UNALLOCATED;
  const services = translate(rows.frame.u32('services'), text, texts);
  const containers = plainColumn(rows, 'container', texts);
  const unmounted = texts.code(UNMOUNTED);
  return services.map((service, row) => (containers[row] === unmounted ? unmounted : service));
}

/** The bare value of a label, or of the annotation of that name. */
function aliasColumn(rows: Rows, name: string, texts: DictionaryBuilder): Uint32Array {
  const of = (column: string): Uint32Array =>
    translate(
      rows.frame.u32(column),
      (code) => parseLabels(rows.texts.text(code)).get(name) ?? '',
      texts,
    );
  const annotations = of('annotations');
  const unallocated = texts.code(UNALLOCATED);
  return of('labels').map((label, row) => label || annotations[row] || unallocated);
}

type ControllerText = (texts: Texts, kind: number, name: number) => string;

function controllerColumn(
  rows: Rows,
  texts: DictionaryBuilder,
  textOf: ControllerText,
): Uint32Array {
  const kinds = rows.frame.u32('controllerKind');
  const names = rows.frame.u32('controller');
  const pairs = new Map<number, number>();
  return names.map((name, row) => {
    const kind = kinds[row] ?? 0;
    const pair = kind * 2 ** 26 + name;
    const known = pairs.get(pair) ?? texts.code(textOf(rows.texts, kind, name));
    pairs.set(pair, known);
    return known;
  });
}

function controllerText(texts: Texts, kind: number, name: number): string {
  if (name === 0) return UNALLOCATED;
  return kind === 0 ? texts.text(name) : `${texts.text(kind)}:${texts.text(name)}`;
}

function nameOfKind(wanted: string): ControllerText {
  return (texts, kind, name) =>
    name !== 0 && texts.text(kind) === wanted ? texts.text(name) : UNALLOCATED;
}
