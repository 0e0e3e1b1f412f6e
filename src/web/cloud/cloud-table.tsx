/** Charges by group, against list price, with the part that is in Kubernetes. */
import { money, moneyOrZero, percent } from '../format.ts';
import { ownHref } from '../own-state.ts';
import { List, type Column } from '../parts/list.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { href, state } from '../state.ts';
import { shownName } from '../costs/fields.ts';
import { belowWords } from './against-list.ts';
import { cloudRows, type CloudRow, type CloudSets } from './cloud-costs.ts';
import { CLOUD_GROUPS, groupWord } from './groups.ts';
import { belowFilter, groupBelow, LISTED_MOST, type CloudQuestion } from './questions.ts';
import { FILTER, GROUP } from './state.ts';

const FIRST_ROWS = 25;

function columnsOf(question: CloudQuestion): readonly Column<CloudRow>[] {
  const next = groupBelow(question.group);
  return [
    {
      title: groupWord(CLOUD_GROUPS, question.group),
      value: ({ name }) => name,
      cell: ({ name }) =>
        next === undefined ? (
          <bdi class="cut" title={name}>
            {shownName(name)}
          </bdi>
        ) : (
          <a
            class="cut"
            title={name}
            href={ownHref({ [GROUP]: next, [FILTER]: belowFilter(question, name) })}
          >
            {shownName(name)}
          </a>
        ),
    },
    {
      title: 'cost',
      value: ({ usd }) => usd,
      cell: ({ usd, name }) => (
        <a
          class="number"
          href={href({ open: `cloud:${name}` })}
          aria-label={`${moneyOrZero(usd)} for ${name}: what it is made of`}
        >
          {moneyOrZero(usd)}
        </a>
      ),
    },
    {
      title: 'list price',
      value: ({ list }) => list,
      cell: ({ list }) => money(list),
      isMinor: true,
    },
    {
      title: 'below list price',
      value: ({ below }) => below,
      cell: ({ below, list }) => <span title={belowWords(below, list, percent)}>{money(below)}</span>,
      isMinor: true,
    },
    {
      title: 'in Kubernetes',
      value: ({ inKubernetes }) => inKubernetes,
      cell: ({ inKubernetes }) => money(inKubernetes),
    },
    {
      title: 'part',
      value: ({ inKubernetes, usd }) => (usd > 0 ? inKubernetes / usd : 0),
      cell: ({ inKubernetes, usd }) => (inKubernetes > 0 && usd > 0 ? percent(inKubernetes / usd) : ''),
      isMinor: true,
    },
  ];
} // prettier-ignore

export function CloudTable({
  data,
  question,
}: {
  data: CloudSets;
  question: CloudQuestion;
}): VNode {
  const { open } = state.value;
  const { group, metric, filter } = question;
  const columns = useMemo(() => columnsOf(question), [group, filter]);
  const rows = useMemo(() => cloudRows(data, metric), [data, metric]);
  const sum = (of: (row: CloudRow) => number): number =>
    rows.reduce((all, row) => all + of(row), 0);
  const isCut = rows.length === LISTED_MOST;
  return (
    <>
      {isCut && <p class="hint">The {LISTED_MOST} of most cost: a filter finds others.</p>}
      {filter !== '' && (
        <p class="hint">
          The filter leaves some charges out.{' '}
          <a href={ownHref({ [FILTER]: undefined, [GROUP]: undefined })}>Show all</a>
        </p>
      )}
      <List
        label="Charges"
        columns={columns}
        rows={rows}
        first={FIRST_ROWS}
        keyOf={({ name }) => name}
        isChosen={({ name }) => open === `cloud:${name}`}
        foot={[
          isCut ? 'these together' : 'together',
          moneyOrZero(sum(({ usd }) => usd)),
          money(sum(({ list }) => list)),
          money(sum(({ below }) => below)),
          money(sum(({ inKubernetes }) => inKubernetes)),
        ]}
      />
    </>
  );
}
