/** Disks that are too large or that nobody holds, and pods that nothing talks with. */
import { useAnswer } from '../../answers.ts';
import { pathOf } from '../../api.ts';
import { bytes, money, moneyOrZero, percent } from '../../format.ts';
import { List, type Column } from '../../parts/list.tsx';
import { Empty, Loaded, Notes } from '../../parts/states.tsx';
import type { ComponentChildren, VNode } from '../../preact.ts';
import { state } from '../../state.ts';

interface Disk {
  readonly clusterId: string;
  readonly volumeName?: string;
  readonly diskName?: string;
  readonly node?: string;
  readonly claimName?: string;
  readonly claimNamespace?: string;
  readonly storageClass?: string;
  readonly providerID: string;
  readonly capacityBytes: number;
  readonly maxUsedBytes?: number;
  readonly utilization?: number;
  readonly recommendedCapacityBytes?: number;
  readonly monthlyCost: number;
  readonly monthlySavings: number;
}

interface Disks {
  readonly totalMonthlySavings: number;
  readonly recommendations: readonly Disk[];
}

const nameOf = (disk: Disk): string => disk.volumeName ?? disk.diskName ?? '';

const NAME: Column<Disk> = {
  title: 'disk',
  value: nameOf,
  cell: (disk) => (
    <bdi class="cut" title={`${nameOf(disk)} ${disk.providerID}`}>
      {nameOf(disk)}
    </bdi>
  ),
};
const CLAIM: Column<Disk> = {
  title: 'claim',
  value: ({ claimName = '', claimNamespace = '' }) => `${claimNamespace}/${claimName}`,
  cell: ({ claimName, claimNamespace }) => (
    <bdi>
      <span class="dim">{claimNamespace}/</span>
      {claimName}
    </bdi>
  ),
};
const CLUSTER: Column<Disk> = {
  title: 'cluster',
  value: ({ clusterId }) => clusterId,
  isMinor: true,
};
const SAVES: Column<Disk> = {
  title: 'a month',
  value: ({ monthlySavings }) => monthlySavings,
  cell: ({ monthlySavings }) => money(monthlySavings),
};
const SIZE: Column<Disk> = {
  title: 'size',
  value: ({ capacityBytes }) => capacityBytes,
  cell: ({ capacityBytes }) => bytes(capacityBytes),
};
const SIZING: readonly Column<Disk>[] = [
  SAVES,
  {
    title: 'used at the most',
    value: ({ utilization = 0 }) => utilization,
    cell: ({ utilization, maxUsedBytes = 0 }) => `${bytes(maxUsedBytes)}, ${percent(utilization)}`,
    isMinor: true,
  },
  SIZE,
  {
    title: 'enough',
    value: ({ recommendedCapacityBytes = 0 }) => recommendedCapacityBytes,
    cell: ({ recommendedCapacityBytes = 0 }) => <strong>{bytes(recommendedCapacityBytes)}</strong>,
  },
  CLUSTER,
];

function DiskSection({
  id,
  title,
  says,
  none,
  columns,
}: {
  id: string;
  title: string;
  /** What to do, and what to look out for. */
  says: string;
  none: string;
  columns: readonly Column<Disk>[];
}): VNode {
  const { window } = state.value;
  const shown = useAnswer<Disks>(pathOf(`model/savings/${id}`, { window }));
  return (
    <Section id={id} title={title} says={says}>
      <Loaded shown={shown} lines={6}>
        {({ data, warnings, isPartial }) => (
          <>
            <Notes warnings={warnings} isPartial={isPartial} />
            {data.recommendations.length === 0 ? (
              <Empty>{none}</Empty>
            ) : (
              <List
                label={title}
                columns={columns}
                rows={data.recommendations}
                keyOf={(disk) => `${disk.clusterId}/${nameOf(disk)}`}
                foot={['together', moneyOrZero(data.totalMonthlySavings)]}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Section({
  id,
  title,
  says,
  children,
}: {
  id: string;
  title: string;
  says: string;
  children: ComponentChildren;
}): VNode {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="hint">{says}</p>
      {children}
    </section>
  );
}

export function Volumes(): VNode {
  return (
    <DiskSection
      id="persistentVolumeSizing"
      title="Oversized volumes"
      says="Kubernetes cannot make a volume smaller in place: make a smaller one, move the data, and let the claim of the workload name it. Half of what was used is left free."
      none="No volume is much larger than what is on it."
      columns={[CLAIM, ...SIZING]}
    />
  );
}

export function Disks(): VNode {
  return (
    <DiskSection
      id="localLowDisks"
      title="Disks of nodes"
      says="At most a fifth of these disks was ever used. Their size stands in the template of the node group; new nodes get the new size."
      none="No node has a disk of which little is used."
      columns={[NAME, ...SIZING]}
    />
  );
}

export function UnclaimedVolumes(): VNode {
  return (
    <DiskSection
      id="unclaimedVolumes"
      title="Unclaimed volumes"
      says="No claim held them on any day of the window. Whether they are needed only their owners know: keep a snapshot, then delete."
      none="Every volume is held by a claim."
      columns={[
        NAME,
        SAVES,
        SIZE,
        { title: 'provider', value: ({ providerID }) => providerID, isMinor: true },
        CLUSTER,
      ]}
    />
  );
}

interface Abandoned {
  readonly pod: string;
  readonly namespace: string;
  readonly clusterId: string;
  readonly owners: readonly { readonly name: string; readonly kind: string }[];
  readonly ingressBytesPerSecond: number;
  readonly egressBytesPerSecond: number;
  readonly monthlySavings: number;
}

const PODS: readonly Column<Abandoned>[] = [
  {
    title: 'pod',
    value: ({ namespace, pod }) => `${namespace}/${pod}`,
    cell: ({ namespace, pod }) => (
      <bdi class="cut" title={`${namespace}/${pod}`}>
        <span class="dim">{namespace}/</span>
        {pod}
      </bdi>
    ),
  },
  {
    title: 'a month',
    value: ({ monthlySavings }) => monthlySavings,
    cell: ({ monthlySavings }) => money(monthlySavings),
  },
  {
    title: 'traffic a second',
    value: ({ ingressBytesPerSecond, egressBytesPerSecond }) =>
      ingressBytesPerSecond + egressBytesPerSecond,
    cell: ({ ingressBytesPerSecond, egressBytesPerSecond }) =>
      bytes(ingressBytesPerSecond + egressBytesPerSecond),
  },
  {
    title: 'owner',
    value: ({ owners }) => owners.map(({ kind, name }) => `${kind} ${name}`).join(', '),
    isMinor: true,
  },
  { title: 'cluster', value: ({ clusterId }) => clusterId, isMinor: true },
];

export function AbandonedWorkloads(): VNode {
  const days = daysOf(state.value.window);
  const shown = useAnswer<readonly Abandoned[]>(
    pathOf('model/savings/abandonedWorkloads', { days }),
  );
  return (
    <Section
      id="abandonedWorkloads"
      title="Abandoned workloads"
      says={`Less than 500 bytes a second in the last ${days} days. What computes without talking looks the same: ask the owner first.`}
    >
      <Loaded shown={shown} lines={6}>
        {({ data, warnings, isPartial }) => (
          <>
            <Notes warnings={warnings} isPartial={isPartial} />
            {data.length === 0 ? (
              <Empty>Every pod talks with somebody, as far as the store tells of traffic.</Empty>
            ) : (
              <List
                label="Abandoned workloads"
                columns={PODS}
                rows={data}
                keyOf={({ clusterId, namespace, pod }) => `${clusterId}/${namespace}/${pod}`}
              />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** Abandoned is what was silent for whole days: those of the window, two where it tells none. */
function daysOf(window: string): number {
  const [, days] = /^(\d+)d$/.exec(window) ?? [];
  return days === undefined ? 2 : Math.min(92, Math.max(1, Number(days)));
}
