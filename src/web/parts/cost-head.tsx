/** The numbers above and below the rows: what it came to, what changed, how well it was used, what was idle. */
import { totalOf } from '../costs/compare.ts';
import { shownName } from '../costs/fields.ts';
import { MEASURE_NAMES, type CostRows, type Measure } from '../costs/rows.ts';
import { sumOf } from '../costs/series.ts';
import { day, money, moneyChange, moneyOrZero, percentChange } from '../format.ts';
import { useMemo, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href, state } from '../state.ts';
import type { CostAnswers } from '../views/cost-answers.ts';
import { Efficiency, signClass } from './cost-table.tsx';
import { Figure } from './figure.tsx';

/** Columns in which something is not zero. */
export function usedMeasures({ columns }: CostRows): Measure[] {
  const isUsed = (measure: Measure): boolean => columns[measure].some((usd) => usd !== 0);
  return MEASURE_NAMES.filter((measure) => measure !== 'total' && isUsed(measure));
}

/** What was chosen on the way down: each leads back to it. */
export function Crumbs(): VNode | null {
  const { path, by } = state.value;
  if (path.length === 0) return null;
  return (
    <nav class="crumbs" aria-label="Levels">
      <a href={href({ path: [], by: [path[0]?.field ?? 'namespace'], open: '', more: '' })}>all</a>
      {path.map(({ field, value }, index) => {
        const next = path[index + 1]?.field;
        const isLast = next === undefined;
        return (
          <span key={`${field} ${value}`}>
            {' / '}
            {isLast ? (
              <b title={field}>{shownName(value)}</b>
            ) : (
              <a
                title={field}
                href={href({ path: path.slice(0, index + 1), by: [next], open: '', more: '' })}
              >
                {shownName(value)}
              </a>
            )}
          </span>
        );
      })}
      <span class="quieter"> by {by.join(' and ')}</span>
    </nav>
  );
}

export function CostHead({ costs }: { costs: CostAnswers }): VNode {
  const { totals, compared, comparison, efficiency } = costs;
  const { idle } = state.value;
  const usd = sumOf(totals?.totals ?? []);
  const unused = sumOf(totals?.idle ?? []);
  const isIn = idle === 'stacked';
  const change = compared === undefined ? undefined : compared.now - compared.before;
  return (
    <div class="figures">
      <Figure says={isIn ? 'cost with idle' : 'cost'}>
        {moneyOrZero(isIn ? usd + unused : usd)}
      </Figure>
      {efficiency > 0 && (
        <Figure says="used of what is asked for">
          <Efficiency part={efficiency} />
        </Figure>
      )}
      {unused > 0 && idle !== 'hidden' && <Figure says="idle">{money(unused)}</Figure>}
      {change !== undefined && compared !== undefined && (
        // Last, as it comes last: nothing moves.
        <Figure
          says={comparison?.isCut === true ? 'change, of whole days' : 'change'}
          title={beforeWords(costs)}
        >
          <span class={signClass(change)}>{moneyChange(change) || 'none'}</span>{' '}
          {compared.before > 0 && <small>{percentChange(change / compared.before)}</small>}
        </Figure>
      )}
    </div>
  );
}

function beforeWords({ comparison }: CostAnswers): string {
  if (comparison === undefined) return '';
  const words = [comparison.nowSpan, comparison.beforeSpan].map(
    ({ startMs, endMs }) => `${day(startMs, zone())} to ${day(endMs - 1, zone())}`,
  );
  return words.join(', against ');
}

/** Idle and the total, of all rows: a search does not change it. */
export function CostFoot({
  costs,
  measures,
}: {
  costs: CostAnswers;
  measures: readonly Measure[];
}): VNode {
  const { rows, compared, isComparing } = costs;
  const { idle } = state.value;
  const [[usd, unused], sumsOf] = useMemo(() => sumsOfRows(rows, measures), [rows, measures]);
  const changeCell = (now: number, before: number): VNode => (
    <td class={`num ${signClass(now - before)}`}>{moneyChange(now - before)}</td>
  );
  const sums = (isIdleRow: boolean): VNode[] =>
    measures.map((measure, at) => (
      <td key={measure} class="num wide">
        {sumWords(measure, sumsOf[at]?.[isIdleRow ? 1 : 0])}
      </td>
    ));
  return (
    <tfoot>
      {unused > 0 && idle !== 'hidden' && (
        <tr class="idle-row">
          <th scope="row" class="first">
            <i class="dot idle" />
            {idle === 'shared' ? 'idle that nobody can bear' : 'idle'}
          </th>
          <td class="trend wide" />
          <td class="num">{money(unused)}</td>
          {compared !== undefined && changeCell(compared.idleNow, compared.idleBefore)}
          {compared === undefined && isComparing && <td />}
          {sums(true)}
        </tr>
      )}
      <tr class="total">
        <th scope="row" class="first">
          total{unused > 0 && idle !== 'hidden' ? ' without idle' : ''}
        </th>
        <td class="trend wide" />
        <td class="num">{moneyOrZero(usd)}</td>
        {compared !== undefined && changeCell(compared.now, compared.before)}
        {compared === undefined && isComparing && <td />}
        {sums(false)}
      </tr>
    </tfoot>
  );
}

function sumWords(measure: Measure, usd: number | undefined): string {
  if (measure === 'efficiency') return '';
  return measure === 'idleChange' ? moneyChange(usd) : money(usd);
}

/** The total and the sum of each measure, without idle, and idle. */
function sumsOfRows(
  rows: CostRows | undefined,
  measures: readonly Measure[],
): [total: readonly [number, number], sums: readonly (readonly [number, number])[]] {
  if (rows === undefined) return [[0, 0], []];
  return [totalOf(rows), measures.map((measure) => totalOf(rows, measure))];
}
