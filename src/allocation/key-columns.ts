/** What rows are grouped by: for each key a column of codes of the parts of names. */
import {
  type DictionaryBuilder,
  numbersOf,
  plainColumn,
  type Table,
  textColumn,
} from '../columnar/index.ts';
import { type AggregateKey, labelValues, UNALLOCATED } from '../query/index.ts';
import { LABEL_OF } from './label-properties.ts';
import { parseServices } from './members.ts';
import { IDENTITY_COLUMNS } from './schema.ts';
import { UNMOUNTED } from './workloads.ts';

/** What a key gives for each row: `name=value` for a label, `kind:name` for a controller. */
export function keyColumn(table: Table, key: AggregateKey, texts: DictionaryBuilder): Uint32Array {
  if (key.kind !== 'property') {
    const column = textColumn(table, key.kind === 'label' ? 'labels' : 'annotations');
    return numbersOf(column, (json) => {
      const [value] = labelValues(json, key.name);
      return texts.code(value ? `${key.name}=${value}` : UNALLOCATED);
    });
  }
  const { property } = key;
  const column = IDENTITY_COLUMNS.find((name) => name === property);
  if (property === 'controller') return controllerColumn(table, texts, controllerText);
  if (column) {
    return numbersOf(textColumn(table, column), (text) => texts.code(text || UNALLOCATED));
  }
  const kind = CONTROLLER_KINDS.find((name) => name === property);
  if (kind) return controllerColumn(table, texts, nameOfKind(kind));
  if (property === 'service') return serviceColumn(table, texts);
  const label = LABEL_OF[property];
  if (label) return aliasColumn(table, label, texts);
  throw new Error(`BUG: rows cannot be grouped by ${property}`);
}

/** Properties that are the name of a controller of that kind. */
const CONTROLLER_KINDS = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

/** The first service by name: a pod behind several counts once; what no pod uses is told apart. */
function serviceColumn(table: Table, texts: DictionaryBuilder): Uint32Array {
  const first = (json: string): number => texts.code(parseServices(json)[0] ?? UNALLOCATED);
  const services = numbersOf(textColumn(table, 'services'), first);
  const containers = plainColumn(table, 'container', texts);
  const unmounted = texts.code(UNMOUNTED);
  return services.map((service, row) => (containers[row] === unmounted ? unmounted : service));
}

/** The bare value of a label, or of the annotation of that name. */
function aliasColumn(table: Table, name: string, texts: DictionaryBuilder): Uint32Array {
  const of = (column: string): Uint32Array =>
    numbersOf(textColumn(table, column), (json) => texts.code(labelValues(json, name)[0] ?? ''));
  const annotations = of('annotations');
  const unallocated = texts.code(UNALLOCATED);
  return of('labels').map((label, row) => label || annotations[row] || unallocated);
}

type ControllerText = (kind: string, name: string) => string;

function controllerColumn(
  table: Table,
  texts: DictionaryBuilder,
  textOf: ControllerText,
): Uint32Array {
  const kinds = plainColumn(table, 'controllerKind', texts);
  const names = plainColumn(table, 'controller', texts);
  const pairs = new Map<number, number>();
  return names.map((name, row) => {
    const kind = kinds[row] ?? 0;
    const pair = kind * 2 ** 26 + name;
    const known = pairs.get(pair) ?? texts.code(textOf(texts.text(kind), texts.text(name)));
    pairs.set(pair, known);
    return known;
  });
}

function controllerText(kind: string, name: string): string {
  if (name === '') return UNALLOCATED;
  return kind === '' ? name : `${kind}:${name}`;
}

function nameOfKind(wanted: string): ControllerText {
  return (kind, name) => (name !== '' && kind === wanted ? name : UNALLOCATED);
}
