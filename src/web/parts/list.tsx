/** A table of up to some hundred rows: sorted by its heads, saved as CSV, its numbers to the right. */
import { useState, type ComponentChildren, type VNode } from '../preact.ts';
import { csvOfList, type SavedColumn } from './columns.ts';
import { saveCsv } from './save-csv.ts';

export interface Column<Row> extends SavedColumn<Row> {
  /** What is shown; default the value. */
  readonly cell?: (row: Row) => ComponentChildren;
  /** Stands for a number that is not sorted as one. */
  readonly isNumber?: boolean;
  /** Left out where there is no room. */
  readonly isMinor?: boolean;
}

export interface Ticks {
  readonly has: (key: string) => boolean;
  readonly toggle: (key: string) => void;
  /** What a row is called for those who do not see it. */
  readonly nameOf: (key: string) => string;
}

interface ListProps<Row> {
  /** What the rows are. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly isChosen?: (row: Row) => boolean;
  readonly ticks?: Ticks;
  readonly foot?: readonly ComponentChildren[];
  /** So many rows are shown at first. */
  readonly first?: number;
}

interface Order {
  readonly column: number;
  readonly isRising: boolean;
}

const FIRST_ROWS = 200;

export function List<Row>(props: ListProps<Row>): VNode {
  const { label, columns, rows, keyOf, isChosen, ticks, foot, first = FIRST_ROWS } = props;
  const [order, setOrder] = useState<Order | undefined>(undefined);
  const [isWhole, setWhole] = useState(false);
  const sorted = order === undefined ? rows : inOrder(rows, columns[order.column], order.isRising);
  const shown = isWhole ? sorted : sorted.slice(0, first);
  const sortBy = (column: number): void => {
    const isNumber = rows.length > 0 && isNumeric(columns[column], rows);
    setOrder({ column, isRising: order?.column === column ? !order.isRising : !isNumber });
  };
  return (
    <div class="rows">
      <div class="list-scroll" role="group" aria-label={label} tabIndex={0}>
        <table>
          <caption class="unseen">{label}</caption>
          <Heads {...{ columns, rows, order, sortBy, hasTicks: ticks !== undefined }} />
          <tbody>
            {shown.map((row) => (
              <Row key={keyOf(row)} {...{ row, columns, rows, keyOf, isChosen, ticks }} />
            ))}
          </tbody>
          {foot !== undefined && (
            <tfoot>
              <tr>
                {ticks !== undefined && <td />}
                {columns.map((column, index) => (
                  <td key={column.title} class={classOf(column, rows)}>
                    {foot[index]}
                  </td>
                ))}
              </tr>
            </tfoot>
          )}
        </table>
      </div>
      <p class="list-foot">
        {shown.length < rows.length && (
          <button type="button" onClick={() => setWhole(true)}>
            Show all {rows.length}
          </button>
        )}
        <button
          type="button"
          class="quiet"
          onClick={() => saveCsv(label.toLowerCase(), csvOfList(columns, sorted))}
        >
          Save as CSV
        </button>
      </p>
    </div>
  );
}

function Heads<Row>({
  columns,
  rows,
  order,
  sortBy,
  hasTicks,
}: Pick<ListProps<Row>, 'columns' | 'rows'> & {
  order: Order | undefined;
  sortBy: (column: number) => void;
  hasTicks: boolean;
}): VNode {
  return (
    <thead>
      <tr>
        {hasTicks && (
          <th scope="col">
            <span class="unseen">Selected</span>
          </th>
        )}
        {columns.map((column, index) => {
          const isSorted = order?.column === index;
          const sort = order?.isRising === true ? 'ascending' : 'descending';
          return (
            <th
              key={column.title}
              scope="col"
              class={classOf(column, rows)}
              aria-sort={isSorted ? sort : undefined}
            >
              <button type="button" class="sort" onClick={() => sortBy(index)}>
                {column.title}
                {isSorted && <span aria-hidden="true">{order.isRising ? ' ▴' : ' ▾'}</span>}
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function Row<Row>({
  row,
  columns,
  rows,
  keyOf,
  isChosen,
  ticks,
}: Pick<ListProps<Row>, 'columns' | 'rows' | 'keyOf'> & {
  row: Row;
  isChosen: ((row: Row) => boolean) | undefined;
  ticks: Ticks | undefined;
}): VNode {
  const key = keyOf(row);
  return (
    <tr class={isChosen?.(row) === true ? 'chosen' : undefined}>
      {ticks !== undefined && (
        <td>
          <input
            type="checkbox"
            aria-label={ticks.nameOf(key)}
            checked={ticks.has(key)}
            onChange={() => ticks.toggle(key)}
          />
        </td>
      )}
      {columns.map((column, index) => {
        const content = column.cell === undefined ? column.value(row) : column.cell(row);
        return index === 0 ? (
          <th key={column.title} scope="row" class={classOf(column, rows)}>
            {content}
          </th>
        ) : (
          <td key={column.title} class={classOf(column, rows)} data-title={column.title}>
            {content}
          </td>
        );
      })}
    </tr>
  );
}

function classOf<Row>(column: Column<Row>, rows: readonly Row[]): string {
  return [isNumeric(column, rows) ? 'num' : '', column.isMinor === true ? 'list-minor' : ''].join(
    ' ',
  );
}

function isNumeric<Row>(column: Column<Row> | undefined, rows: readonly Row[]): boolean {
  if (column?.isNumber !== undefined) return column.isNumber;
  const [first] = rows;
  return first !== undefined && typeof column?.value(first) === 'number';
}

function inOrder<Row>(
  rows: readonly Row[],
  column: Column<Row> | undefined,
  isRising: boolean,
): readonly Row[] {
  if (column === undefined) return rows;
  const sign = isRising ? 1 : -1;
  return rows.toSorted((a, b) => sign * compared(column.value(a), column.value(b)));
}

function compared(a: string | number = '', b: string | number = ''): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
