/** On what it was spent: the largest namespaces, clusters and teams, each with its change. */
import { useText } from '../answers.ts';
import { colourOf } from '../colour.ts';
import { compared, totalOf } from '../costs/compare.ts';
import { isMade, levelBelow, shownName } from '../costs/fields.ts';
import { costRows, sortedRows } from '../costs/groups.ts';
import type { Comparison } from '../costs/periods.ts';
import { rowsPath } from '../costs/questions.ts';
import { readRows } from '../costs/rows.ts';
import { money, moneyChange } from '../format.ts';
import { signClass } from '../parts/cost-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { href } from '../state.ts';
import type { PageState } from '../url.ts';

const ROWS = 6;

export function Spending({
  plain,
  field,
  title,
  comparison,
}: {
  plain: PageState;
  field: string;
  title: string;
  comparison: Comparison;
}): VNode {
  const question = { ...plain, by: [field] };
  const now = useText(rowsPath(question, comparison.now));
  const before = useText(rowsPath(question, comparison.before));
  const list = href({ view: 'allocations', window: comparison.now, by: [field], open: '' });
  const idle = href({
    view: 'allocations',
    window: comparison.now,
    by: [field],
    idle: 'shared',
    sort: 'idleChange',
    open: '',
  });
  return (
    <section class="card">
      <h2>
        <a href={list}>{title}</a>{' '}
        <small>
          <a href={idle}>whose idle grew</a>
        </small>
      </h2>
      <Loaded shown={now} lines={ROWS}>
        {(text) => (
          <List
            text={text}
            before={before.answer}
            field={field}
            window={comparison.now}
            list={list}
          />
        )}
      </Loaded>
    </section>
  );
}

interface ListProps {
  readonly text: string;
  readonly before: string | undefined;
  readonly field: string;
  readonly window: string;
  readonly list: string;
}

function List({ text, before, field, window, list }: ListProps): VNode {
  const rows = useMemo(() => readRows(text), [text]);
  const change = useMemo(
    () => (before === undefined ? undefined : compared(rows, readRows(before)).changeOf),
    [rows, before],
  );
  const order = useMemo(() => {
    const largest = { sort: 'total', isRising: false };
    return sortedRows(rows, costRows(rows.names), largest, () => undefined);
  }, [rows]);
  const [sum] = totalOf(rows);
  const most = rows.columns.total[order[0] ?? 0] ?? 0;
  const rest = order.slice(ROWS).reduce((usd, row) => usd + (rows.columns.total[row] ?? 0), 0);
  const only = order.length === 1 ? rows.names[order[0] ?? 0] : undefined;
  if (order.length === 0 || only === '__unallocated__') {
    return (
      <p class="hint">
        {order.length === 0
          ? 'Nothing was charged here.'
          : `No workload says its ${field}: label pods with it.`}
      </p>
    );
  }
  return (
    <table class="list">
      <tbody>
        {order.slice(0, ROWS).map((row) => {
          const name = rows.names[row] ?? '';
          const usd = rows.columns.total[row] ?? 0;
          return (
            <tr key={name}>
              <th scope="row">
                <i class={`dot ${colourOf(name)}`} />{' '}
                {isMade(name) ? (
                  shownName(name)
                ) : (
                  <a href={belowHref(field, name, window)}>{shownName(name)}</a>
                )}
                <i
                  class={`share ${colourOf(name)}`}
                  style={{ width: `${most > 0 ? (100 * usd) / most : 0}%` }}
                />
              </th>
              <td class="num">{money(usd)}</td>
              <td class={`num change ${signClass(change?.(name))}`}>
                {change === undefined ? '' : moneyChange(change(name))}
              </td>
            </tr>
          );
        })}
        {order.length > ROWS && (
          <tr>
            <th scope="row">
              <a href={list}>{order.length - ROWS} more</a>
            </th>
            <td class="num">{money(rest)}</td>
            <td />
          </tr>
        )}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">total without idle</th>
          <td class="num">{money(sum)}</td>
          <td />
        </tr>
      </tfoot>
    </table>
  );
}

function belowHref(field: string, value: string, window: string): string {
  const next = levelBelow(field) ?? field;
  return href({ view: 'allocations', window, path: [{ field, value }], by: [next], open: '' });
}
