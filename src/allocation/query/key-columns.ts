/** The columns that rows are grouped by: for each key a number for each row, and each number's name. */
import { numberPairs, numbersByCode, textColumn } from '../../columnar/index.ts';
import type { DictionaryBuilder, Table, TextColumn, Workspace } from '../../columnar/index.ts';
import {
  LABEL_OF,
  type AggregateKey,
  labelValues,
  storeName,
  UNALLOCATED,
} from '../../query/index.ts';
import { labelPairsOf } from '../row/label-pairs.ts';
import { parseServices } from '../row/services-text.ts';
import { IDENTITY_COLUMNS } from '../row/schema.ts';
import { UNMOUNTED } from '../row/row-kinds.ts';

export interface KeyColumn {
  /** A number a row. */
  readonly rows: Uint32Array;
  /** The code of each number's name, for numbers that some row has. */
  readonly names: Uint32Array;
}

/** Rows, where their columns may be worked on, and the dictionary of names. */
export interface KeyedTable {
  readonly space: Workspace;
  readonly table: Table;
  readonly texts: DictionaryBuilder;
}

/** Values of a key: `name=value` for a label, `kind:name` for a controller. */
export function keyColumn(keyed: KeyedTable, key: AggregateKey): KeyColumn {
  if (key.kind !== 'property') {
    return labelNamed(keyed, key.kind === 'label' ? 'labels' : 'annotations', key.name);
  }
  const { property } = key;
  if (property === 'all') return oneName(keyed, property);
  const column = IDENTITY_COLUMNS.find((name) => name === property);
  if (property === 'controller') return pairNamed(keyed, CONTROLLER, controllerText);
  if (column) return named(keyed, column, (text) => text || UNALLOCATED);
  const kind = CONTROLLER_KINDS.find((name) => name === property);
  if (kind) return pairNamed(keyed, CONTROLLER, nameOfKind(kind));
  if (property === 'service') return pairNamed(keyed, ['services', 'container'], serviceText);
  const label = LABEL_OF[property];
  if (label) return pairNamed(keyed, ['labels', 'annotations'], aliasText(label));
  throw new Error(`BUG: rows cannot be grouped by ${property}`);
}

const CONTROLLER = ['controllerKind', 'controller'] as const;

/** Properties that are the name of a controller of that kind. */
const CONTROLLER_KINDS = ['deployment', 'statefulset', 'daemonset', 'job'] as const;

/** The texts of a column as they are. */
export function plainKey(keyed: KeyedTable, column: string): KeyColumn {
  return named(keyed, column, (text) => text);
}

function named(
  { space, table, texts }: KeyedTable,
  name: string,
  nameOf: (text: string) => string,
): KeyColumn {
  const column = textColumn(table, name);
  const names = numbersByCode(space, column, (code) => texts.code(nameOf(column.texts.text(code))));
  return { rows: column.codes, names };
}

/** All rows have the same name. */
function oneName({ space, table, texts }: KeyedTable, name: string): KeyColumn {
  const { arena } = space.engine;
  const rows = arena.u32(arena.allocate(4 * table.rows, space.owner), table.rows).fill(0);
  return { rows, names: Uint32Array.of(texts.code(name)) };
}

/** `name=value` of a label: each pair of a name and a value is named once, whatever texts have it. */
function labelNamed({ space, table, texts }: KeyedTable, column: string, name: string): KeyColumn {
  const cells = textColumn(table, column);
  const labels = labelPairsOf(cells.texts);
  /** Code of the pair's name + 1; -1: it is another label. */
  const byPair: number[] = [];
  const nameOf = (pair: number): number => {
    if (storeName(labels.name(pair)) !== name) return -1;
    const value = labels.value(pair);
    return texts.code(value ? `${name}=${value}` : UNALLOCATED) + 1;
  };
  const names = numbersByCode(space, cells, (code) => {
    const list = labels.listOf(code);
    for (let place = 0; place < labels.lengthOf(list); place++) {
      const pair = labels.at(list, place);
      const found = (byPair[pair] ??= nameOf(pair));
      if (found > 0) return found - 1;
    }
    return texts.code(UNALLOCATED);
  });
  return { rows: cells.codes, names };
}

type NameOfPair = (first: string, second: string) => string;

/** A name for each pair of texts of two columns. */
function pairNamed(
  { space, table, texts }: KeyedTable,
  [first, second]: readonly [string, string],
  nameOf: NameOfPair,
): KeyColumn {
  const [left, right]: TextColumn[] = [textColumn(table, first), textColumn(table, second)];
  if (!left || !right) throw new Error('BUG: a pair of columns');
  const { rows, pairs } = numberPairs(space, left.codes, right.codes);
  const names = Uint32Array.from({ length: pairs.length / 2 }, (_, number) => {
    const [a, b] = [pairs[2 * number] ?? 0, pairs[2 * number + 1] ?? 0];
    return texts.code(nameOf(left.texts.text(a), right.texts.text(b)));
  });
  return { rows, names };
}

/** The first service by name: a pod behind several counts once; `__unmounted__` keeps its name. */
function serviceText(services: string, container: string): string {
  return container === UNMOUNTED ? UNMOUNTED : (parseServices(services)[0] ?? UNALLOCATED);
}

/** The bare value of a label, or of the annotation of that name. */
function aliasText(name: string): NameOfPair {
  return (labels, annotations) =>
    labelValues(labels, name)[0] || labelValues(annotations, name)[0] || UNALLOCATED;
}

function controllerText(kind: string, name: string): string {
  if (name === '') return UNALLOCATED;
  return kind === '' ? name : `${kind}:${name}`;
}

function nameOfKind(wanted: string): NameOfPair {
  return (kind, name) => (name !== '' && kind === wanted ? name : UNALLOCATED);
}
