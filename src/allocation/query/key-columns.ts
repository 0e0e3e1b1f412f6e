/** The columns that rows are grouped by: for each key a number for each row, and each number's name. */
import {
  codesByText,
  codesOfLabel,
  mapCodes,
  numberJoined,
  numberPairs,
  numbersByCode,
  textColumn,
  type Table,
  type TextColumn,
  type TextIndex,
  type Workspace,
} from '../../columnar/index.ts';
import {
  LABEL_OF,
  type AggregateKey,
  labelValues,
  snakeName,
  UNALLOCATED,
} from '../../query/index.ts';
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
  readonly texts: TextIndex;
}

/** Values of a key: `name=value` for a label, `kind:name` for a controller. */
export function keyColumn(keyed: KeyedTable, key: AggregateKey): KeyColumn {
  if (key.kind !== 'property') {
    return labelNamed(keyed, key.kind === 'label' ? 'labels' : 'annotations', key.name);
  }
  const { property } = key;
  if (property === 'all') return oneName(keyed, property);
  const column = IDENTITY_COLUMNS.find((name) => name === property);
  if (property === 'controller') return controllerNamed(keyed);
  if (column) return named(keyed, column);
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
export function plainKey({ space, table, texts }: KeyedTable, name: string): KeyColumn {
  const column = textColumn(table, name);
  return { rows: column.codes, names: codesByText(space, column, texts) };
}

/** All rows have the same name. */
function oneName({ space, table, texts }: KeyedTable, name: string): KeyColumn {
  const { arena } = space.engine;
  const rows = arena.u32(arena.allocate(4 * table.rows, space.owner), table.rows).fill(0);
  return { rows, names: Uint32Array.of(texts.code(name)) };
}

/** The same, with a name for the empty text. */
function named(keyed: KeyedTable, name: string): KeyColumn {
  const { codes } = textColumn(keyed.table, name);
  const unallocated = codes.includes(0) ? keyed.texts.code(UNALLOCATED) : 0;
  const key = plainKey(keyed, name);
  key.names[0] = unallocated;
  return key;
}

/** `kind:name` of a controller. */
function controllerNamed({ space, table, texts }: KeyedTable): KeyColumn {
  const [kind, name] = CONTROLLER;
  const columns = [textColumn(table, kind), textColumn(table, name)] as const;
  const joined = { separator: ':', other: UNALLOCATED };
  const { rows, codes } = numberJoined(space, columns, joined, texts);
  return { rows, names: codes };
}

/** `name=value` of a label, whatever texts have it. */
function labelNamed({ space, table, texts }: KeyedTable, column: string, name: string): KeyColumn {
  const cells = textColumn(table, column);
  /** The name of a text that kernels do not read. */
  const odd = (code: number): string => {
    const [value = ''] = labelValues(cells.texts.text(code), name);
    return value === '' ? UNALLOCATED : `${name}=${value}`;
  };
  const wanted = { name, alike: snakeName(name), other: UNALLOCATED, odd };
  const plain = codesOfLabel(space, cells, wanted, texts);
  if (plain !== undefined) return { rows: cells.codes, names: plain };
  const list: string[] = [];
  const places = numbersByCode(space, cells, (code) => list.push(odd(code)) - 1);
  return { rows: cells.codes, names: mapCodes(space, places, texts.codes(list)) };
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
  const names = Array.from({ length: pairs.length / 2 }, (_, number) => {
    const [a, b] = [pairs[2 * number] ?? 0, pairs[2 * number + 1] ?? 0];
    return nameOf(left.texts.text(a), right.texts.text(b));
  });
  return { rows, names: texts.codes(names) };
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

function nameOfKind(wanted: string): NameOfPair {
  return (kind, name) => (name !== '' && kind === wanted ? name : UNALLOCATED);
}
