/** Rows of costs: only those in sight are there, however many there are. */
import { colourOf } from '../colour.ts';
import { isMade, shownName } from '../costs/fields.ts';
import type { ShownRow } from '../costs/groups.ts';
import type { CostRows, Measure } from '../costs/rows.ts';
import { money, moneyChange, percent } from '../format.ts';
import { useLayoutEffect, useMemo, useRef, useState, type VNode } from '../preact.ts';
import { go, href, state } from '../state.ts';
import { ROW_HEIGHT, useRowKeys } from './row-keys.ts';
import { Sparkline } from './sparkline.tsx';

export interface CostTableOf {
  readonly shown: readonly ShownRow[];
  readonly rows: CostRows;
  readonly groups: CostRows | undefined;
  readonly measures: readonly Measure[];
  /** Undefined: nothing is compared; NaN: it is awaited. */
  readonly changeOf: ((row: ShownRow) => number | undefined) | undefined;
  /** Costs over time by name, for rows and groups. */
  readonly series: ReadonlyMap<string, ArrayLike<number>>;
  /** One level down; undefined: there is none. */
  readonly below: (row: ShownRow) => string | undefined;
  readonly up: string | undefined;
  readonly toggle: (group: string) => void;
  readonly foot: VNode;
}

/** Rows that are there beyond the edges of what is seen. */
const SPARE = 6;
/** So many rows come into sight at once, so that not every pixel draws. */
const STEP = 4;

const HEADS: Readonly<Record<Measure, string>> = {
  cpu: 'CPU',
  ram: 'RAM',
  gpu: 'GPU',
  disk: 'disks',
  network: 'network',
  balancer: 'balancers',
  shared: 'shared',
  external: 'external',
  idle: 'its idle',
  idleChange: 'idle change',
  efficiency: 'efficiency',
  total: 'cost',
};

export function CostTable(table: CostTableOf): VNode {
  const { shown, measures, changeOf, foot } = table;
  const body = useRef<HTMLTableSectionElement>(null);
  const [first, last] = useSight(body, shown.length);
  const active = useRowKeys(table, body);
  const drawn = useDrawnRows(table, active);
  const columns = 3 + measures.length + (changeOf === undefined ? 0 : 1);
  return (
    <div class="scroll table-room">
      <table
        class="costs"
        aria-rowcount={shown.length + 1}
        style={{ '--columns': String(columns - 2) }}
      >
        <thead>
          <tr>
            <Head name="name" says="name" />
            <th scope="col" class="trend wide">
              trend
            </th>
            <Head name="total" says="cost" isNumber />
            {changeOf !== undefined && <Head name="change" says="change" isNumber />}
            {measures.map((measure) => (
              <Head key={measure} name={measure} says={HEADS[measure]} isNumber isWide />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap rows={first} columns={columns} />
          {shown.slice(first, last).map((row, index) => drawn(row, first + index))}
          <Gap rows={shown.length - last} columns={columns} />
        </tbody>
        {foot}
      </table>
    </div>
  );
}

/** Rows that were drawn are kept until something about them changes: scrolling draws what comes into sight alone. */
function useDrawnRows(table: CostTableOf, active: number): (row: ShownRow, at: number) => VNode {
  const { shown, rows, measures, changeOf, series } = table;
  const kept = useMemo(() => new Map<string, VNode>(), [shown, rows, measures, changeOf, series]);
  return (row, at) => {
    const isActive = active === at;
    const key = `${row.kind} ${row.name}`;
    const known = isActive ? undefined : kept.get(key);
    if (known !== undefined) return known;
    const made = <Row key={key} {...table} row={row} at={at} isActive={isActive} />;
    if (!isActive) kept.set(key, made);
    return made;
  };
}

function Gap({ rows, columns }: { rows: number; columns: number }): VNode | null {
  if (rows <= 0) return null;
  return (
    <tr class="gap" aria-hidden="true" style={{ height: `${rows * ROW_HEIGHT}px` }}>
      <td colSpan={columns} />
    </tr>
  );
}

/** The first and the last row in sight. */
function useSight(body: { current: HTMLElement | null }, count: number): [number, number] {
  const [[first, last], see] = useState<[number, number]>([0, 60]);
  useLayoutEffect(() => {
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / ROW_HEIGHT) - SPARE);
      const to = from + Math.ceil(innerHeight / ROW_HEIGHT) + 2 * SPARE;
      const [start, end] = [from - (from % STEP), to + STEP];
      see((seen) => (seen[0] === start && seen[1] === end ? seen : [start, end]));
    };
    const all = (): void => see([0, Math.min(count, 2000)]);
    look();
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    addEventListener('beforeprint', all);
    addEventListener('afterprint', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
      removeEventListener('beforeprint', all);
      removeEventListener('afterprint', look);
    };
  }, [count]);
  return [Math.min(first, count), Math.min(last, count)];
}

function Head({
  name,
  says,
  isNumber = false,
  isWide = false,
}: {
  name: string;
  says: string;
  isNumber?: boolean;
  isWide?: boolean;
}): VNode {
  const { sort, rising } = state.value;
  const isSorted = sort === name;
  const isUp = isSorted && rising;
  return (
    <th
      scope="col"
      class={`${isNumber ? 'num' : 'first'} ${isWide ? 'wide' : ''}`}
      aria-sort={isSorted ? (isUp ? 'ascending' : 'descending') : undefined}
    >
      <button
        type="button"
        class="bare"
        onClick={() => go({ sort: name, rising: isSorted && !rising }, true)}
      >
        {says}
        <span aria-hidden="true">{isSorted ? (isUp ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  );
}

function Row({
  row,
  at,
  isActive,
  rows,
  groups,
  measures,
  changeOf,
  series,
  below,
  toggle,
}: CostTableOf & { row: ShownRow; at: number; isActive: boolean }): VNode {
  const { columns } = row.kind === 'group' && groups !== undefined ? groups : rows;
  const own = row.kind === 'part' ? row.name.slice(row.group.length + 1) : row.name;
  const down = below(row);
  const change = changeOf?.(row);
  return (
    <tr class={`${row.kind} ${isActive ? 'active' : ''}`} aria-rowindex={at + 2} data-at={at}>
      <th scope="row" class="first">
        {row.kind === 'group' && (
          <button
            type="button"
            class="fold"
            aria-expanded={row.isOpen}
            aria-label={`${row.isOpen ? 'Fold' : 'Unfold'} ${shownName(own)}`}
            onClick={() => toggle(row.name)}
          >
            {row.isOpen ? '▾' : '▸'}
          </button>
        )}
        <i class={`dot ${colourOf(own)}`} />
        {down === undefined ? (
          <span title={own}>{shownName(own)}</span>
        ) : (
          <a href={down} title={own}>
            {shownName(own)}
          </a>
        )}
      </th>
      <td class="trend wide">
        <Sparkline costs={row.kind === 'part' ? undefined : series.get(row.name)} />
      </td>
      <td class="num">
        {isMade(row.name) ? (
          money(columns.total[row.at])
        ) : (
          <a
            class="number"
            href={href({ open: row.name })}
            aria-label={`${money(columns.total[row.at])}: what it is made of`}
          >
            {money(columns.total[row.at])}
          </a>
        )}
      </td>
      {changeOf !== undefined && (
        <td class={`num ${signClass(change)}`}>
          {Number.isNaN(change) ? '' : moneyChange(change)}
        </td>
      )}
      {measures.map((measure) => (
        <td key={measure} class="num wide">
          <Cell measure={measure} value={columns[measure][row.at] ?? 0} />
        </td>
      ))}
    </tr>
  );
}

function Cell({ measure, value }: { measure: Measure; value: number }): VNode {
  if (measure === 'efficiency') return <Efficiency part={value} />;
  if (measure !== 'idleChange') return <>{money(value)}</>;
  return <span class={signClass(value)}>{moneyChange(value)}</span>;
}

/** Above 1 it is not better, but too little is asked for. */
export function Efficiency({ part }: { part: number }): VNode {
  if (part > 1.005) {
    return (
      <span class="warn" title="It uses more than it requests">
        {percent(part)} !
      </span>
    );
  }
  return <>{part === 0 ? '' : percent(part)}</>;
}

export function signClass(usd: number | undefined): string {
  if (usd === undefined || Math.abs(usd) < 0.005) return '';
  return usd > 0 ? 'more' : 'less';
}
