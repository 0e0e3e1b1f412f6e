/** What workloads cost, over time and as a table, down to single containers. */
import { valuesOf } from '../costs/fields.ts';
import type { ShownRow } from '../costs/groups.ts';
import { detailPath } from '../costs/questions.ts';
import type { CostRows } from '../costs/rows.ts';
import { trendsOf } from '../costs/series.ts';
import { bindKeys } from '../keys.ts';
import { Controls } from '../parts/controls.tsx';
import { CostTable } from '../parts/cost-table.tsx';
import { CostFoot, CostHead, Crumbs, usedMeasures } from '../parts/cost-head.tsx';
import { CsvButton } from '../parts/csv-button.tsx';
import { Panel } from '../parts/panel.tsx';
import { Empty, Failure, Notes } from '../parts/states.tsx';
import { useEffect, useMemo, useRef, type VNode } from '../preact.ts';
import { go, href, state } from '../state.ts';
import type { PageState } from '../url.ts';
import { useCosts, type CostAnswers } from './cost-answers.ts';
import { belowHref, Chart, Tiles } from './cost-chart.tsx';
import { useShownRows } from './shown-rows.ts';

export function Allocations(): VNode {
  const now = state.value;
  const costs = useCosts(now);
  const { rows, error, isLoading, answer } = costs;
  const drawn = useDrawn(now, costs.isCurrent);
  const filterError = error?.parameter === 'filter' ? error : undefined;
  useEffect(
    () =>
      bindKeys([
        { keys: 'f', says: 'find rows', run: () => document.getElementById('find')?.focus() },
      ]),
    [],
  );
  return (
    <>
      <h1 class="hidden">Allocations</h1>
      <Controls filterError={filterError} />
      <Crumbs />
      {error !== undefined && filterError === undefined && <Failure error={error} />}
      {rows === undefined || costs.totals === undefined ? (
        error === undefined && <Waiting />
      ) : (
        <div class={isLoading ? 'dimmed' : ''} aria-busy={isLoading}>
          {rows.names.length === 0 ? (
            <NoRows now={now} notes={answer?.warnings ?? []} />
          ) : (
            <>
              <CostHead costs={costs} />
              {drawn.chart === 'tiles' ? (
                <Tiles rows={rows} now={drawn} />
              ) : (
                <Chart costs={costs} now={drawn} />
              )}
              <Rows costs={costs} rows={rows} now={drawn} />
            </>
          )}
          {answer !== undefined && (
            <Notes
              warnings={[...answer.warnings, ...(answer.message === '' ? [] : [answer.message])]}
              isPartial={answer.isPartial}
            />
          )}
        </div>
      )}
      {now.open !== '' && <Panel name={now.open} path={openPath(now)} />}
    </>
  );
}

/** The state that the rows on the page belong to: the last one, while those of a new one come. */
function useDrawn(now: PageState, isCurrent: boolean): PageState {
  const drawn = useRef(now);
  const { by, path } = drawn.current;
  drawn.current = isCurrent ? now : { ...now, by, path };
  return drawn.current;
}

function Waiting(): VNode {
  return (
    <div class="waiting" aria-busy="true">
      <div class="bone tall" />
      {Array.from({ length: 10 }, (_, index) => (
        <div key={index} class="bone" />
      ))}
    </div>
  );
}

/** The request for the one row whose number is open: a group has the first field alone. */
function openPath(now: PageState): string {
  const [kind, name] = openRow(now);
  const by = kind === 'group' ? now.by.slice(0, 1) : now.by;
  const values = valuesOf(name, by);
  const crumbs = by.map((field, index) => ({ field, value: values[index] ?? '' }));
  const path = [...now.path, ...crumbs];
  return detailPath({ ...now, path }, now.window, by, { includeSharedCostBreakdown: true });
}

/** With two fields, a name without the second is that of a group. */
function openRow({ open, by }: PageState): [ShownRow['kind'], string] {
  return by.length > 1 && !open.includes('/') ? ['group', open] : ['row', open];
}

function Rows({ costs, rows, now }: { costs: CostAnswers; rows: CostRows; now: PageState }): VNode {
  const { by, find } = now;
  const { shown, groups, changeOf, toggle } = useShownRows(costs, rows, now);
  const measures = useMemo(() => usedMeasures(rows), [rows]);
  const trends = useMemo(() => trendsOf(costs.series, costs.nowMs), [costs.series, costs.nowMs]);
  return (
    <>
      <div class="table-tools">
        <input
          id="find"
          type="search"
          aria-label="Find rows"
          placeholder="find"
          value={find}
          onInput={(event) => go({ find: event.currentTarget.value }, true)}
        />
        <span class="count" role="status">
          {shown.length.toLocaleString()} {shown.length === 1 ? 'row' : 'rows'}
        </span>
        <CsvButton
          shown={shown}
          rows={rows}
          groups={groups}
          measures={measures}
          by={by}
          changeOf={changeOf}
        />
      </div>
      <CostTable
        shown={shown}
        rows={rows}
        groups={groups}
        measures={measures}
        changeOf={changeOf}
        series={trends}
        below={(row) => belowHref(row, now)}
        up={now.path.length === 0 ? undefined : upHref(now)}
        toggle={toggle}
        foot={<CostFoot costs={costs} measures={measures} />}
      />
    </>
  );
}

/** Back to the rows that the last crumb was one of. */
function upHref({ path }: PageState): string {
  const last = path.at(-1);
  return href({ path: path.slice(0, -1), by: [last?.field ?? 'namespace'], more: '', open: '' });
}

function NoRows({ now, notes }: { now: PageState; notes: readonly string[] }): VNode {
  const isFiltered = now.filter !== '' || now.path.length > 0;
  return (
    <Empty>
      <p>
        <strong>Nothing was charged to anything here.</strong>
      </p>
      {isFiltered ? (
        <p>
          No row of this window meets the filter.{' '}
          <a href={href({ filter: '', path: [], open: '' })}>Show all rows</a>
        </p>
      ) : (
        <p>
          There are no samples of this window: the store may keep fewer days, or they are still
          being read. The <a href={href({ window: '7d' })}>last 7 days</a> may have some.
        </p>
      )}
      {notes.slice(0, 3).map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
    </Empty>
  );
}
