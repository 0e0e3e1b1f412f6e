/** External costs: what others than the cloud charge, over time and by group. */
import { useAnswer } from '../answers.ts';
import { shownName } from '../costs/fields.ts';
import { stacksOf } from '../costs/series.ts';
import { money, moneyOrZero, number } from '../format.ts';
import { goOwn, ownHref } from '../own-state.ts';
import { Bars } from '../parts/bars.tsx';
import { List, type Column } from '../parts/list.tsx';
import { Request } from '../parts/panel.tsx';
import { Select } from '../parts/select.tsx';
import { Loaded, Notes } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { href, state } from '../state.ts';
import { barHref } from '../parts/bar-href.ts';
import { HowExternalsCome, NoCharges, type BillSource } from './empty.tsx';
import {
  externalSeries,
  hasCharges,
  type ExternalCost,
  type ExternalEntry,
  type ExternalSeries,
} from './external-costs.ts';
import { EXTERNAL_GROUPS, groupWord } from './groups.ts';
import { belowExternal, externalBelow, externalRowsPath, externalSeriesPath } from './questions.ts';
import { EXTERNAL_FILTER, EXTERNAL_GROUP, externalQuestion } from './state.ts';
import { whole } from './whole.ts';

const STACKS = 8;
const FIRST_ROWS = 25;

export function External(): VNode {
  const question = externalQuestion();
  const overTime = useAnswer<ExternalSeries>(externalSeriesPath(state.value, question));
  const rows = useAnswer<ExternalEntry>(externalRowsPath(state.value, question));
  const bills = useAnswer<readonly BillSource[]>('model/customCost/status');
  const isKnown = (bills.answer ?? bills.error) !== undefined;
  const charges = whole(overTime, [rows]);
  const shown = isKnown ? charges : { ...charges, answer: undefined };
  const { answer } = overTime;
  const series = useMemo(
    () => (answer === undefined ? undefined : externalSeries(answer.data)),
    [answer],
  );
  return (
    <section>
      <h2>External costs</h2>
      <p class="asked">
        What others than the cloud charge, by
        <Select
          label="Group external costs by"
          value={question.group}
          choices={EXTERNAL_GROUPS}
          choose={(value) => goOwn({ [EXTERNAL_GROUP]: value })}
        />
        {question.filter !== '' && (
          <>
            where <code>{question.filter}</code>{' '}
            <a href={ownHref({ [EXTERNAL_GROUP]: undefined, [EXTERNAL_FILTER]: undefined })}>
              Show all
            </a>
          </>
        )}
      </p>
      <Loaded shown={shown} lines={4}>
        {({ warnings, isPartial }) =>
          series === undefined || !hasCharges(series) ? (
            <NoCharges
              bills={bills}
              filter={question.filter}
              clear={ownHref({ [EXTERNAL_FILTER]: undefined })}
            >
              <HowExternalsCome />
            </NoCharges>
          ) : (
            <>
              <Notes warnings={warnings} isPartial={isPartial} />
              <Bars
                spans={series.spans}
                stacks={stacksOf(series, series.totals, STACKS)}
                totals={series.totals}
                idle={undefined}
                before={[]}
                nowMs={Infinity}
                href={barHref}
              />
              {rows.answer !== undefined && <Rows entry={rows.answer.data} />}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const MONEY: readonly Column<ExternalCost>[] = [
  {
    title: 'cost',
    value: ({ cost }) => cost,
    cell: ({ cost, aggregate }) => (
      <a
        class="number"
        href={href({ open: `external:${aggregate}` })}
        aria-label={`${moneyOrZero(cost)} for ${aggregate}: what it is made of`}
      >
        {moneyOrZero(cost)}
      </a>
    ),
  },
  { title: 'billed', value: ({ billedCost }) => billedCost, cell: ({ billedCost }) => money(billedCost) },
  { title: 'list price', value: ({ listCost }) => listCost, cell: ({ listCost }) => money(listCost), isMinor: true },
  {
    title: 'used',
    value: ({ usage_quantity: quantity }) => quantity,
    cell: ({ usage_quantity: quantity, usage_unit: unit }) => quantity > 0 ? `${number(quantity)} ${unit}` : '',
    isMinor: true,
  },
  { title: 'account', value: ({ account_name: account }) => account, isMinor: true },
]; // prettier-ignore

function Rows({ entry }: { entry: ExternalEntry }): VNode {
  const question = externalQuestion();
  const next = externalBelow(question.group);
  const name: Column<ExternalCost> = {
    title: groupWord(EXTERNAL_GROUPS, question.group),
    value: ({ aggregate }) => aggregate,
    cell: ({ aggregate }) =>
      next === undefined ? (
        <bdi class="cut" title={aggregate}>
          {shownName(aggregate)}
        </bdi>
      ) : (
        <a
          class="cut"
          title={aggregate}
          href={ownHref({
            [EXTERNAL_GROUP]: next,
            [EXTERNAL_FILTER]: belowExternal(question, aggregate),
          })}
        >
          {shownName(aggregate)}
        </a>
      ),
  };
  return (
    <>
      <List
        label="External charges"
        columns={[name, ...MONEY]}
        rows={entry.customCosts}
        first={FIRST_ROWS}
        keyOf={({ aggregate }) => aggregate}
        foot={[
          'together',
          moneyOrZero(entry.totalCost),
          money(entry.totalBilledCost),
          money(entry.totalListCost),
        ]}
      />
      <Request path={externalRowsPath(state.value, question)} />
    </>
  );
}
