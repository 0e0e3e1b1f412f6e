/** Nodes: what each is for, and what it costs. */
import type { Answer } from '../api.ts';
import { useAnswer, type Shown } from '../answers.ts';
import { priceWords } from '../costs/price-words.ts';
import { money, moneyChange, moneyOrZero, number, percent, UNKNOWN } from '../format.ts';
import { List, type Column } from '../parts/list.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { state } from '../state.ts';
import type { AssetSet } from './asset.ts';
import { CLUSTER, costColumns, FIRST_ROWS, nameColumn, ofCost, usedColumns } from './columns.tsx';
import { NodeGrid } from './node-grid.tsx';
import { nodeRows, partWords, sumOfNodes, type ChargedByNode, type NodeRow } from './node-rows.ts';
import { allocatedPath, LISTED_MOST, listPath } from './questions.ts';

interface ChargedSets {
  readonly sets: readonly { readonly allocations: ChargedByNode }[];
}

const partOf =
  (is: 'idle' | 'over') =>
  ({ parts, cost }: NodeRow): number | undefined =>
    parts === undefined ? undefined : ofCost(parts[is], cost);

const COLUMNS: readonly Column<NodeRow>[] = [
  nameColumn('node'),
  ...costColumns<NodeRow>(),
  {
    title: 'idle',
    value: ({ parts }) => parts?.idle,
    cell: ({ parts }) => money(parts?.idle),
    isNumber: true,
  },
  {
    title: 'idle share',
    value: partOf('idle'),
    cell: (row) => shareWords(partOf('idle')(row)),
    isNumber: true,
    isMinor: true,
  },
  {
    title: 'asked for, not used',
    value: ({ parts }) => parts?.over,
    cell: ({ parts }) => money(parts?.over),
    isNumber: true,
    isMinor: true,
  },
  CLUSTER,
  {
    title: 'type',
    value: ({ nodeType }) => nodeType,
    cell: ({ nodeType, isSpot }) => (
      <>
        {nodeType} {isSpot && <span class="tag">spot</span>}
      </>
    ),
    isMinor: true,
  },
  { title: 'place', value: ({ place }) => place, isMinor: true },
  {
    title: 'price from',
    value: ({ priceSource }) => priceWords(priceSource),
    isMinor: true,
  },
  {
    title: 'hours',
    value: ({ hours }) => hours,
    cell: ({ hours }) => number(hours, 1),
    isMinor: true,
  },
];

function shareWords(part: number | undefined): string {
  return part === undefined ? UNKNOWN : percent(part);
}

export function Nodes({ where }: { where: string }): VNode {
  const now = state.value;
  const nodes = useAnswer<readonly AssetSet[]>(listPath(now, where, 'Node'));
  const charged = useAnswer<ChargedSets>(allocatedPath(now));
  const shown: Shown<Answer<readonly AssetSet[]>> = {
    ...nodes,
    isLoading: nodes.isLoading || charged.isLoading,
    // Without the other answer nodes have no parts yet: they would be drawn twice.
    answer: charged.answer === undefined && charged.error === undefined ? undefined : nodes.answer,
  };
  return (
    <section id="Node">
      <h2>Nodes</h2>
      {charged.error !== undefined && <Failure error={charged.error} />}
      <Loaded shown={shown} lines={10}>
        {({ data }) => <NodeList set={data[0] ?? {}} charged={charged.answer?.data} />}
      </Loaded>
    </section>
  );
}

function NodeList({ set, charged }: { set: AssetSet; charged: ChargedSets | undefined }): VNode {
  const { open } = state.value;
  const rows = useMemo(() => {
    const allocations = charged?.sets[0]?.allocations;
    return nodeRows(Object.values(set), charged === undefined ? undefined : (allocations ?? {}));
  }, [set, charged]);
  const sum = sumOfNodes(rows);
  const adjustment = rows.reduce((all, row) => all + row.adjustment, 0);
  const isAdjusted = rows.some((row) => row.adjustment !== 0);
  if (rows.length === 0) return <p class="hint">No node meets the filter in this window.</p>;
  return (
    <>
      <p class="hint">
        {charged === undefined
          ? `${moneyOrZero(sum.cost)}; what is used of it is not known.`
          : `Of ${moneyOrZero(sum.cost)}: ${partWords(sum)}.`}
        {rows.length === LISTED_MOST && ` The ${LISTED_MOST} of most cost: a filter finds others.`}
      </p>
      <NodeGrid rows={rows} open={open} />
      <List
        label="Nodes"
        columns={usedColumns(COLUMNS, rows)}
        first={FIRST_ROWS}
        rows={rows}
        keyOf={({ filter }) => filter}
        isChosen={({ filter }) => filter === open}
        foot={[
          'together',
          moneyOrZero(sum.cost),
          ...(isAdjusted ? [moneyChange(adjustment)] : []),
          money(charged === undefined ? undefined : sum.idle),
          shareWords(charged === undefined ? undefined : ofCost(sum.idle, sum.cost)),
          money(charged === undefined ? undefined : sum.over),
        ]}
      />
    </>
  );
}
