/** What clouds and others charge: services over time, what of them is in Kubernetes, and against list price. */
import type { Answer } from '../api.ts';
import { useAnswer, usePulse } from '../answers.ts';
import { barHref } from '../parts/bar-href.ts';
import type { AssetTotals } from '../cloud/against-list.ts';
import { cloudBars, sumsOf, type CloudSets, type Metric, type Sums } from '../cloud/cloud-costs.ts';
import { CloudTable } from '../cloud/cloud-table.tsx';
import { CloudControls } from '../cloud/controls.tsx';
import { HowBillsCome, NoCharges, type BillSource } from '../cloud/empty.tsx';
import { External } from '../cloud/external.tsx';
import { CloudPanel, ExternalPanel } from '../cloud/panel.tsx';
import {
  assetsPath,
  groupsPath,
  rowsPath,
  totalsPath,
  type CloudQuestion,
} from '../cloud/questions.ts';
import { AgainstList } from '../cloud/reconciled.tsx';
import { cloudQuestion, FILTER, GROUP } from '../cloud/state.ts';
import { whole } from '../cloud/whole.ts';
import { moneyOrZero, percent } from '../format.ts';
import { ownHref } from '../own-state.ts';
import { Bars } from '../parts/bars.tsx';
import { Figure } from '../parts/figure.tsx';
import { Request } from '../parts/panel.tsx';
import { Loaded, Notes } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { state } from '../state.ts';

const STACKS = 8;

export function Cloud(): VNode {
  const now = state.value;
  const question = cloudQuestion();
  const { filter } = question;
  const path = totalsPath(now, question);
  usePulse(path);
  const totals = useAnswer<CloudSets>(path);
  const groups = useAnswer<CloudSets>(groupsPath(now, question));
  const rows = useAnswer<CloudSets>(rowsPath(now, question));
  const assets = useAnswer<{ readonly combined: AssetTotals }>(assetsPath(now));
  const bills = useAnswer<readonly BillSource[]>('model/cloudCost/status');
  const charges = whole(totals, [groups, rows]);
  // What these say is beside the charges: an error of theirs is none of the charges.
  const beside = [assets, bills].every(({ answer, error }) => (answer ?? error) !== undefined);
  const shown = beside ? charges : { ...charges, answer: undefined };
  const filterError = shown.error?.parameter === 'filter' ? shown.error : undefined;
  const [kind, name] = openOf(now.open);
  return (
    <>
      <h1 class="hidden">Cloud and external costs</h1>
      <CloudControls filterError={filterError} />
      {filterError === undefined && (
        <Loaded shown={shown} lines={24}>
          {(answer) =>
            answer.data.sets.every(({ cloudCosts }) => Object.keys(cloudCosts).length === 0) ? (
              <NoCharges
                bills={bills}
                filter={filter}
                clear={ownHref({ [FILTER]: undefined, [GROUP]: undefined })}
              >
                <HowBillsCome />
              </NoCharges>
            ) : (
              <Charges
                totals={answer}
                groups={groups.answer?.data}
                rows={rows.answer?.data}
                // Of some charges alone the assets of clusters say nothing.
                assets={filter === '' ? assets.answer?.data.combined : undefined}
                question={question}
              />
            )
          }
        </Loaded>
      )}
      {(shown.answer !== undefined || shown.error !== undefined) && <External />}
      {kind === 'cloud' && <CloudPanel name={name} />}
      {kind === 'external' && <ExternalPanel name={name} />}
    </>
  );
}

function openOf(open: string): readonly [kind: string, name: string] {
  const at = open.indexOf(':');
  return [open.slice(0, Math.max(0, at)), open.slice(at + 1)];
}

function Charges({
  totals,
  groups,
  rows,
  assets,
  question,
}: {
  totals: Answer<CloudSets>;
  groups: CloudSets | undefined;
  rows: CloudSets | undefined;
  assets: AssetTotals | undefined;
  question: CloudQuestion;
}): VNode {
  const sums = useMemo(() => sumsOf(totals.data), [totals]);
  const { warnings, message, isPartial } = totals;
  return (
    <>
      <Head sums={sums} question={question} />
      <Notes warnings={[...warnings, ...(message === '' ? [] : [message])]} isPartial={isPartial} />
      {groups !== undefined && <Chart totals={totals} groups={groups} metric={question.metric} />}
      {rows !== undefined && <CloudTable data={rows} question={question} />}
      <AgainstList sums={sums} metric={question.metric} assets={assets} />
      <Request path={rowsPath(state.value, question)} />
    </>
  );
}

function Head({ sums, question }: { sums: Sums; question: CloudQuestion }): VNode {
  const { usd, inKubernetes } = sums[question.metric];
  const list = sums.listCost.usd;
  const below = list - usd;
  return (
    <div class="figures">
      <Figure says="charged">{moneyOrZero(usd)}</Figure>
      <Figure says="in Kubernetes">
        {moneyOrZero(inKubernetes)} <small>{usd > 0 && percent(inKubernetes / usd)}</small>
      </Figure>
      {question.metric !== 'listCost' && (
        <>
          <Figure says="at list price">{moneyOrZero(list)}</Figure>
          <Figure says={below < 0 ? 'above list price' : 'below list price'}>
            {moneyOrZero(Math.abs(below))}{' '}
            <small>{list > 0 && percent(Math.abs(below) / list)}</small>
          </Figure>
        </>
      )}
    </div>
  );
}

function Chart({
  totals,
  groups,
  metric,
}: {
  totals: Answer<CloudSets>;
  groups: CloudSets;
  metric: Metric;
}): VNode {
  const drawn = useMemo(
    () => cloudBars(totals.data, groups, metric, STACKS),
    [totals, groups, metric],
  );
  return (
    <Bars
      spans={drawn.spans}
      stacks={drawn.stacks}
      totals={drawn.totals}
      inside={{ says: 'in Kubernetes', costs: drawn.insides }}
      idle={undefined}
      before={[]}
      // The bill of a day comes late: what it will come to cannot be told from a part.
      nowMs={Infinity}
      href={barHref}
    />
  );
}
