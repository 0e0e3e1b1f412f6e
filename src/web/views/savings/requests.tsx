/** Requests of containers: select, plan, look at the difference, apply, undo. */
import { useAnswer } from '../../answers.ts';
import { pathOf } from '../../api.ts';
import { moneyOrZero } from '../../format.ts';
import { goOwn, own, ownHref } from '../../own-state.ts';
import { FilterBox, FilterError } from '../../parts/filter-box.tsx';
import { choicesOf, Select, type Choice } from '../../parts/select.tsx';
import { List, type Column } from '../../parts/list.tsx';
import { Empty, Loaded, Notes } from '../../parts/states.tsx';
import { useMemo, useState, type VNode } from '../../preact.ts';
import { go, state } from '../../state.ts';
import { amount } from './amount.ts';
import { PlanPanel } from './plan.tsx';
import { RequestBar } from './request-bar.tsx';
import { Runs } from './runs.tsx';
import { RiskMark } from './risk-mark.tsx';
import { Usage } from './usage.tsx';
import {
  isLowered,
  lowering,
  sizingOf,
  type Change,
  type Sizing,
  type SizingAnswer,
} from './sizing.ts';

/** What a request has to hold, in words by the address's. */
const LEVELS: readonly Choice[] = choicesOf({
  most: 'the most that was used',
  p99: '99 % of samples',
  hours: '95 % of hourly averages',
});
const ALGORITHMS: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  most: { algorithmCPU: 'max', algorithmRAM: 'max' },
  p99: { algorithmCPU: 'quantile', algorithmRAM: 'quantile', qCPU: 0.99, qRAM: 0.99 },
  hours: { algorithmCPU: 'quantileOfAverages', algorithmRAM: 'max', qCPU: 0.95 },
};
const SPARE: readonly Choice[] = choicesOf({
  '0.8': '20 % to spare',
  '0.7': '30 % to spare',
  '0.5': 'half to spare',
});

export function Requests(): VNode {
  const { window, filter } = state.value;
  const [level, target] = [own('level', 'most'), own('spare', '0.7')];
  const path = pathOf('model/savings/requestSizingV2', {
    window,
    filter,
    ...(ALGORITHMS[level] ?? ALGORITHMS['most']),
    targetCPUUtilization: target,
    targetRAMUtilization: target,
  });
  const shown = useAnswer<SizingAnswer>(path);
  const filterError = shown.error?.parameter === 'filter' ? shown.error : undefined;
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">Requests of containers</h2>
      <p class="asked">
        They hold
        <Select
          label="What requests hold"
          value={level}
          choices={LEVELS}
          choose={(next) => goOwn({ level: next })}
        />
        with
        <Select
          label="To spare"
          value={target}
          choices={SPARE}
          choose={(next) => goOwn({ spare: next })}
        />
        where
        <FilterBox
          label="Filter of containers"
          value={filter}
          window={window}
          error={filterError}
          apply={(text) => go({ filter: text })}
        />
      </p>
      {filterError !== undefined && (
        <FilterError text={filter} whole={filter} error={filterError} />
      )}
      <Loaded shown={shown} lines={6}>
        {({ data, warnings, isPartial }) => (
          <>
            <Notes warnings={warnings} isPartial={isPartial} />
            <Selection key={path} answer={data} />
          </>
        )}
      </Loaded>
      <Changed />
    </section>
  );
}

/** What was changed so far, once somebody looks. */
function Changed(): VNode {
  const [isOpen, open] = useState(false);
  return (
    <details class="notes" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>What was changed so far</summary>
      {isOpen && <Runs isLive={false} />}
    </details>
  );
}

function Selection({ answer }: { answer: SizingAnswer }): VNode {
  const all = useMemo(() => answer.Recommendations.map(sizingOf), [answer]);
  const rows = useMemo(() => lowering(all), [all]);
  const [selected, select] = useState<ReadonlySet<string>>(new Set());
  const [isPlanned, setPlanned] = useState(false);
  const raising = all.reduce((sum, { raisingCosts }) => sum + raisingCosts, 0);
  const saved = (of: readonly Sizing[]): string =>
    moneyOrZero(of.reduce((sum, { loweringSaves }) => sum + loweringSaves, 0));
  if (rows.length === 0) return <NoneLowered raisingUsd={raising} />;
  const safe = rows.filter(({ risk }) => risk === 'low');
  const chosen = rows.filter(({ key }) => selected.has(key));
  const opened = rows.find(({ key }) => key === own('usage'));
  const choose = (of: readonly Sizing[]): void => {
    select(new Set(of.map(({ key }) => key)));
    setPlanned(false);
  };
  const toggle = (key: string): void => {
    const next = new Set(selected);
    if (!next.delete(key)) next.add(key);
    select(next);
    setPlanned(false);
  };
  return (
    <>
      <p>
        Lowering {rows.length} of them saves <strong>{saved(rows)}</strong> a month.
        {raising > 0 && (
          <>
            {' '}
            Raising those that are too low would cost {moneyOrZero(raising)}: that is left to you.
          </>
        )}
      </p>
      <p class="actions">
        <button type="button" onClick={() => choose(safe)} disabled={safe.length === 0}>
          Select the {safe.length} safe ones, {saved(safe)}
        </button>
        <button type="button" onClick={() => choose([])} disabled={selected.size === 0}>
          Select none
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => setPlanned(true)}
          disabled={chosen.length === 0}
        >
          {chosen.length === 0
            ? 'Plan'
            : `Plan ${chosen.length} ${chosen.length === 1 ? 'change' : 'changes'}, ${saved(chosen)} a month`}
        </button>
      </p>
      {isPlanned && <PlanPanel sizings={chosen} onClose={() => setPlanned(false)} />}
      {opened !== undefined && (
        <Usage key={opened.key} sizing={opened} window={state.value.window} />
      )}
      <List
        label="Requests that can be lowered"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ key }) => key}
        isChosen={({ key }) => selected.has(key)}
        ticks={{ has: (key) => selected.has(key), toggle, nameOf: (key) => `Select ${key}` }}
      />
    </>
  );
}

/** @param raisingUsd what it would cost a month to raise requests that are too low */
function NoneLowered({ raisingUsd }: { raisingUsd: number }): VNode {
  return (
    <Empty>
      <p>No request here is larger than it has to be.</p>
      {raisingUsd > 0 && (
        <p class="hint">To raise those that are too low costs {moneyOrZero(raisingUsd)} a month.</p>
      )}
    </Empty>
  );
}

const COLUMNS: readonly Column<Sizing>[] = [
  {
    title: 'container',
    value: ({ recommendation: { namespace, controllerName, containerName } }) =>
      `${namespace}/${controllerName}/${containerName}`,
    cell: ({ key, recommendation: { namespace, controllerName, containerName } }) => (
      <a
        class="cut"
        href={ownHref({ usage: key })}
        title={`What ${namespace}/${controllerName}/${containerName} used`}
      >
        <span class="dim">{namespace}/</span>
        {controllerName}
        {containerName !== controllerName && <span class="dim">/{containerName}</span>}
      </a>
    ),
  },
  {
    title: 'a month',
    value: ({ loweringSaves }) => loweringSaves,
    cell: ({ loweringSaves }) => moneyOrZero(loweringSaves),
  },
  {
    title: 'risk',
    value: ({ risk }) => risk,
    cell: ({ risk, why }) => <RiskMark risk={risk} why={why} />,
  },
  ...(['cpu', 'memory'] as const).map((resource): Column<Sizing> => {
    const changeOf = ({ changes }: Sizing): Change | undefined =>
      changes.find((change) => change.resource === resource);
    return {
      title: resource,
      value: (row) => {
        const change = changeOf(row);
        return change === undefined ? 0 : change.to - change.from;
      },
      cell: (row) => {
        const change = changeOf(row);
        return change === undefined ? '' : <Difference change={change} />;
      },
      isNumber: false,
    };
  }),
  { title: 'cluster', value: ({ recommendation }) => recommendation.clusterID, isMinor: true },
  { title: 'kind', value: ({ recommendation }) => recommendation.controllerKind, isMinor: true },
];

function Difference({ change }: { change: Change }): VNode {
  const text = (value: number): string => amount(change.resource, value);
  if (!isLowered(change)) {
    return (
      <span class="dim" title={`would be raised to ${text(change.to)}: left as it is`}>
        {text(change.from)} stays
      </span>
    );
  }
  return (
    <span class="difference">
      <RequestBar change={change} text={text} />
      <span>
        {text(change.from)} → <strong>{text(change.to)}</strong>
      </span>
    </span>
  );
}
