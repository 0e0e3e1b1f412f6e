/** Nodes there are beside those that would do: groups of nodes, and clusters as a whole. */
import { useAnswer } from '../../answers.ts';
import { pathOf } from '../../api.ts';
import { moneyChange, moneyOrZero, number, percent } from '../../format.ts';
import { List, type Column } from '../../parts/list.tsx';
import { Empty, Loaded, Notes } from '../../parts/states.tsx';
import type { VNode } from '../../preact.ts';
import { state } from '../../state.ts';

interface NodeType {
  readonly name: string;
  readonly vCPUs: number;
  readonly RAMGB: number;
}

interface Recommended {
  readonly pools: readonly {
    readonly type: NodeType;
    readonly count: number;
    readonly totalMonthlyCost: number;
  }[];
  readonly monthlySavings: number;
  readonly totalMonthlyCost: number;
  readonly utilizationVCPUs: number;
  readonly utilizationRAMGB: number;
  readonly requiredVCPUs: number;
  readonly requiredRAMGB: number;
  readonly totalVCPUs: number;
  readonly totalRAMGB: number;
  readonly isOptimal: boolean;
  readonly optimalityGap: number;
}

interface Current {
  readonly monthlyRate: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly count: number;
    readonly vCPUs: number;
    readonly RAMGB: number;
  }[];
  readonly totalCounts: {
    readonly totalNodeCount: number;
    readonly totalVCPUs: number;
    readonly totalRAMGB: number;
  };
}

interface Group {
  readonly clusterId: string;
  readonly nodeGroup: string;
  readonly monthlySavings: number;
  readonly recommendation: Recommended | null;
  readonly currentClusterInfo: Current;
}

interface Groups {
  readonly totalMonthlySavings: number;
  readonly recommendations: readonly Group[];
}

interface Cluster {
  readonly recommendations: {
    readonly single: Recommended | null;
    readonly multi: Recommended | null;
  } | null;
  readonly currentClusterInfo: Current;
}

const poolsText = (pools: Recommended['pools']): string =>
  pools.map(({ type, count }) => `${count} × ${type.name}`).join(' + ');
const currentText = ({ nodes }: Current): string =>
  nodes.map(({ name, count }) => `${count} × ${name}`).join(' + ');

const GROUPS: readonly Column<Group>[] = [
  {
    title: 'group',
    value: ({ clusterId, nodeGroup }) => `${clusterId}/${nodeGroup}`,
    cell: ({ clusterId, nodeGroup }) => (
      <bdi>
        <span class="dim">{clusterId}/</span>
        {nodeGroup}
      </bdi>
    ),
  },
  {
    title: 'a month',
    value: ({ monthlySavings }) => monthlySavings,
    cell: ({ monthlySavings }) =>
      monthlySavings > 0 ? moneyOrZero(monthlySavings) : <span class="dim">as it should be</span>,
  },
  { title: 'today', value: ({ currentClusterInfo }) => currentText(currentClusterInfo) },
  {
    title: 'would do',
    value: ({ recommendation }) => (recommendation === null ? '' : poolsText(recommendation.pools)),
    cell: ({ recommendation, monthlySavings }) => {
      if (recommendation === null) return <span class="dim">nothing that is offered holds it</span>;
      if (monthlySavings <= 0) return '';
      return <strong>{poolsText(recommendation.pools)}</strong>;
    },
  },
];

export function Nodes(): VNode {
  const { window } = state.value;
  const groups = useAnswer<Groups>(
    pathOf('model/savings/nodeGroupSizing/recommendations', { window }),
  );
  const clusters = useAnswer<Readonly<Record<string, Cluster>>>(
    pathOf('model/savings/clusterSizingETL', { window }),
  );
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Node groups</h2>
      <p class="hint">
        Each group by itself, with as much free as the kubelet and 65 % utilization ask for.
        Affinities, taints and zones are not looked at: try it with one group first.
      </p>
      <Loaded shown={groups} lines={6}>
        {({ data, warnings, isPartial }) => (
          <>
            <Notes warnings={warnings} isPartial={isPartial} />
            {data.recommendations.length === 0 ? (
              <Empty>There are no nodes in this window.</Empty>
            ) : (
              <List
                label="Groups of nodes"
                columns={GROUPS}
                rows={data.recommendations}
                keyOf={({ clusterId, nodeGroup }) => `${clusterId}/${nodeGroup}`}
                foot={['those that save', moneyOrZero(data.totalMonthlySavings)]}
              />
            )}
          </>
        )}
      </Loaded>
      <h2>Clusters as a whole</h2>
      <p class="hint">
        As if all nodes of a cluster could be chosen anew: what the pods that ran would need at
        least.
      </p>
      <Loaded shown={clusters} lines={8}>
        {({ data, warnings, isPartial }) => (
          <>
            <Notes warnings={warnings} isPartial={isPartial} />
            {Object.entries(data).map(([name, cluster]) => (
              <ClusterPools key={name} name={name} cluster={cluster} />
            ))}
          </>
        )}
      </Loaded>
    </section>
  );
}

function ClusterPools({ name, cluster }: { name: string; cluster: Cluster }): VNode {
  const { currentClusterInfo: current, recommendations } = cluster;
  const best = recommendations?.multi ?? recommendations?.single ?? undefined;
  const counts = current.totalCounts;
  return (
    <article class="pools" aria-label={`Nodes of ${name}`}>
      <h3>
        <bdi>{name}</bdi>
      </h3>
      <div class="beside">
        <Pools
          title="today"
          cost={current.monthlyRate}
          pools={current.nodes.map(({ name: type, count, vCPUs, RAMGB }) => ({
            type,
            count,
            vCPUs,
            RAMGB,
          }))}
          filled={{
            cpu: best === undefined ? undefined : best.requiredVCPUs / counts.totalVCPUs,
            ram: best === undefined ? undefined : best.requiredRAMGB / counts.totalRAMGB,
          }}
        />
        {best === undefined ? (
          <p class="dim">Nothing is recommended: the notes say why.</p>
        ) : (
          <Pools
            title="would do"
            cost={best.totalMonthlyCost}
            pools={best.pools.map(({ type, count }) => ({
              type: type.name,
              count,
              vCPUs: type.vCPUs,
              RAMGB: type.RAMGB,
            }))}
            filled={{ cpu: best.utilizationVCPUs, ram: best.utilizationRAMGB }}
            change={-best.monthlySavings}
          />
        )}
      </div>
      {best !== undefined && (
        <p class="hint">
          {best.isOptimal
            ? 'Proven: nothing that is offered holds these pods for less.'
            : `Not proven: the best could be cheaper by ${percent(best.optimalityGap)} at most.`}
        </p>
      )}
    </article>
  );
}

interface Pool {
  readonly type: string;
  readonly count: number;
  readonly vCPUs: number;
  readonly RAMGB: number;
}

function Pools({
  title,
  cost,
  pools,
  filled,
  change,
}: {
  title: string;
  cost: number;
  pools: readonly Pool[];
  /** Parts of CPU and RAM that the pods take. */
  filled: { readonly cpu: number | undefined; readonly ram: number | undefined };
  change?: number;
}): VNode {
  return (
    <div class="pool">
      <p>
        <span class="dim">{title}</span> <strong>{moneyOrZero(cost)}</strong> a month{' '}
        {change !== undefined && (
          <span class={change < 0 ? 'less' : 'more'}>{moneyChange(change)}</span>
        )}
      </p>
      <ul>
        {pools.map(({ type, count, vCPUs, RAMGB }) => (
          <li key={type}>
            <strong>{count}</strong> × {type}{' '}
            <span class="dim">
              {number(vCPUs)} CPU, {number(RAMGB, 0)} GB
            </span>
          </li>
        ))}
      </ul>
      <Fill label="CPU" part={filled.cpu} />
      <Fill label="RAM" part={filled.ram} />
    </div>
  );
}

function Fill({ label, part }: { label: string; part: number | undefined }): VNode {
  const says = `${label} ${percent(part)} taken`;
  return (
    <p class="pool-fill">
      <svg
        viewBox="0 0 100 8"
        preserveAspectRatio="none"
        width="100%"
        height="8"
        role="img"
        aria-label={says}
      >
        <rect class="room" width="100" height="8" />
        <rect class="taken" width={100 * Math.min(1, part ?? 0)} height="8" />
      </svg>
      <span class="dim">{says}</span>
    </p>
  );
}
