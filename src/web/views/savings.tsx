/** What can be saved: one list that counts no dollar twice, and what to do about each line of it. */
import { useAnswer } from '../answers.ts';
import { pathOf } from '../api.ts';
import { moneyOrZero } from '../format.ts';
import { own, ownHref } from '../own-state.ts';
import { Select } from '../parts/select.tsx';
import { WINDOWS } from '../parts/windows.ts';
import { List, type Column } from '../parts/list.tsx';
import { Loaded, Notes } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { go, state } from '../state.ts';
import { AbandonedWorkloads, Disks, UnclaimedVolumes, Volumes } from './savings/lists.tsx';
import { Nodes } from './savings/nodes.tsx';
import { ranked, type KindSavings, type RankedSaving } from './savings/ranked.ts';
import { Requests } from './savings/requests.tsx';
import { RiskMark } from './savings/risk-mark.tsx';

const SECTIONS: Readonly<Record<string, () => VNode>> = {
  requestSizing: Requests,
  nodeGroupSizing: Nodes,
  persistentVolumeSizing: Volumes,
  localLowDisks: Disks,
  unclaimedVolumes: UnclaimedVolumes,
  abandonedWorkloads: AbandonedWorkloads,
};

const COLUMNS: readonly Column<RankedSaving>[] = [
  {
    title: 'What to do',
    value: ({ kind }) => kind.title,
    cell: ({ kind }) => (
      <>
        <a href={ownHref({ of: kind.id })}>{kind.title}</a>{' '}
        <span class="dim list-minor">{kind.does}</span>
      </>
    ),
  },
  { title: 'a month', value: ({ saves }) => saves, cell: ({ saves }) => <Saved usd={saves} /> },
  {
    title: 'by itself',
    value: ({ alone }) => alone,
    cell: ({ alone, saves }) => (
      <span class="dim">{alone === saves ? '' : moneyOrZero(alone)}</span>
    ),
    isMinor: true,
  },
  { title: 'effort', value: ({ kind }) => kind.effort, isMinor: true },
  {
    title: 'risk',
    value: ({ kind }) => kind.risk,
    cell: ({ kind }) => <RiskMark risk={kind.risk} />,
  },
];

export function Savings(): VNode {
  const { window } = state.value;
  const shown = useAnswer<Readonly<Record<string, KindSavings>>>(
    pathOf('model/savings', { window }),
  );
  const of = own('of');
  const Section = SECTIONS[of];
  return (
    <>
      <Loaded shown={shown} lines={8}>
        {({ data, warnings, isPartial }) => {
          const rows = ranked(data);
          const total = rows.reduce((sum, { saves }) => sum + saves, 0);
          return (
            <>
              <div class="tally">
                <h1>{moneyOrZero(total)} a month can be saved</h1>
                <span>by doing all of it: no dollar counts twice</span>
                <Notes warnings={warnings} isPartial={isPartial} />
              </div>
              <p class="asked">
                Judged by
                <Select
                  label="Window"
                  value={window}
                  choices={WINDOWS}
                  choose={(next) => go({ window: next })}
                />
              </p>
              <List
                label="Savings"
                columns={COLUMNS}
                rows={rows}
                keyOf={({ kind }) => kind.id}
                isChosen={({ kind }) => kind.id === of}
                foot={['all of it', moneyOrZero(total)]}
              />
            </>
          );
        }}
      </Loaded>
      {Section === undefined ? (
        <p class="hint">Open a line to see what it is made of, and to do it.</p>
      ) : (
        <Section key={of} />
      )}
    </>
  );
}

/** What doing a thing saves; it may cost. */
function Saved({ usd }: { usd: number }): VNode {
  if (usd >= 0) return <>{moneyOrZero(usd)}</>;
  return <span class="more">{`costs ${moneyOrZero(-usd)}`}</span>;
}
