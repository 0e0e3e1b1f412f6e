/** Load balancers each by itself; networks and management of clusters by cluster. */
import { useAnswer } from '../answers.ts';
import { moneyOrZero, number } from '../format.ts';
import { List, type Column } from '../parts/list.tsx';
import { Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { state } from '../state.ts';
import { clusterOf, filterOfAsset, nameOf, typeHeading, type AssetSet } from './asset.ts';
import { CLUSTER, costColumns, nameColumn, usedColumns } from './columns.tsx';
import { listPath } from './questions.ts';

interface OtherRow {
  readonly name: string;
  readonly cluster: string;
  readonly address: string;
  readonly hours: number;
  readonly cost: number;
  readonly adjustment: number;
  readonly filter: string;
}

function rowsOf(set: AssetSet): readonly OtherRow[] {
  const rows = Object.values(set).map((asset) => ({
    name: nameOf(asset) || typeHeading(asset.type),
    cluster: clusterOf(asset),
    address: asset.ip ?? '',
    hours: asset.minutes / 60,
    cost: asset.totalCost,
    adjustment: asset.adjustment,
    filter: filterOfAsset(asset),
  }));
  return rows.toSorted((a, b) => b.cost - a.cost);
}

const HOURS: Column<OtherRow> = {
  title: 'hours',
  value: ({ hours }) => hours,
  cell: ({ hours }) => number(hours, 1),
  isMinor: true,
};
const BALANCERS: readonly Column<OtherRow>[] = [
  nameColumn('service'),
  ...costColumns<OtherRow>(),
  {
    title: 'address',
    value: ({ address }) => address,
    cell: ({ address }) => (
      <bdi class="cut" title={address}>
        {address}
      </bdi>
    ),
    isMinor: true,
  },
  CLUSTER,
  HOURS,
];
const BY_CLUSTER: readonly Column<OtherRow>[] = [
  nameColumn('what'),
  ...costColumns<OtherRow>(),
  CLUSTER,
  HOURS,
];

export function Balancers({ where }: { where: string }): VNode {
  return (
    <OtherList
      id="LoadBalancer"
      title="Load balancers"
      none="No load balancer meets the filter in this window."
      columns={BALANCERS}
      path={listPath(state.value, where, 'LoadBalancer')}
    />
  );
}

export function NetworkAndManagement({ where }: { where: string }): VNode {
  return (
    <OtherList
      id="Network"
      title="Network and management"
      none="No network and no management of clusters meets the filter in this window."
      columns={BY_CLUSTER}
      path={listPath(state.value, where, 'Network,ClusterManagement', 'type,cluster')}
    />
  );
}

function OtherList({
  id,
  title,
  none,
  columns,
  path,
}: {
  id: string;
  title: string;
  none: string;
  columns: readonly Column<OtherRow>[];
  path: string;
}): VNode {
  const shown = useAnswer<readonly AssetSet[]>(path);
  const { open } = state.value;
  return (
    <section id={id}>
      <h2>{title}</h2>
      <Loaded shown={shown} lines={3}>
        {({ data }) => {
          const rows = rowsOf(data[0] ?? {});
          if (rows.length === 0) return <p class="hint">{none}</p>;
          return (
            <List
              label={title}
              columns={usedColumns(columns, rows)}
              rows={rows}
              keyOf={({ filter }) => filter}
              isChosen={({ filter }) => filter === open}
              foot={['together', moneyOrZero(rows.reduce((sum, { cost }) => sum + cost, 0))]}
            />
          );
        }}
      </Loaded>
    </section>
  );
}
