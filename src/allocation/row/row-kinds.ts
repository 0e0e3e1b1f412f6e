/** Kinds of rows, by the name of their container. */
import {
  numbersIn,
  numbersOf,
  rowsOfValue,
  textColumn,
  type Table,
  type Workspace,
} from '../../columnar/index.ts';

export const IDLE = '__idle__';

/** Namespace, pod and container of costs that no pod can be charged with. */
export const UNMOUNTED = '__unmounted__';
export const EXTERNAL = '__external__';

/** Kinds of rows, as numbers of a column. */
export const ROW_KINDS = { workload: 0, unmounted: 1, idle: 2, external: 3 } as const;

const KIND_OF_CONTAINER: ReadonlyMap<string, number> = new Map<string, number>([
  [UNMOUNTED, ROW_KINDS.unmounted],
  [IDLE, ROW_KINDS.idle],
  [EXTERNAL, ROW_KINDS.external],
]);

/** The kind of each row. */
export function kindsOf(table: Table): Uint32Array {
  return numbersOf(textColumn(table, 'container'), kindOf);
}

/** As `kindsOf`, for tables of many rows. */
export function kindsIn(space: Workspace, table: Table): Uint32Array {
  return numbersIn(space, textColumn(table, 'container'), kindOf);
}

function kindOf(container: string): number {
  return KIND_OF_CONTAINER.get(container) ?? ROW_KINDS.workload;
}

/** The rows of one kind, ascending. */
export function rowsOfKind(space: Workspace, kinds: Uint32Array, kind: number): number[] {
  return [...rowsOfValue(space, kinds, kind)];
}
