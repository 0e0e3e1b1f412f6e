/** Warnings of an on-demand answer. */
import { FACTS, USAGE } from '../../metrics/index.ts';
import { FoundCaveats, warning, type Caveats, type WarningLike } from '../../query/index.ts';
import type { PriceSource } from '../../pricing/index.ts';
import type { DisputedFact } from '../inventory/disputes.ts';
import type { Decided } from '../ledger/decide.ts';
import type { OwnerlessCharges } from '../ledger/anomalies.ts';
import { GAP_MS } from '../params/plan.ts';
import { GPUS, namedTypes, VOLUMES } from './named-types.ts';
import { excessWarnings, type Excess } from '../sets/excess.ts';

export interface Observations {
  readonly decided: Decided;
  /** Decisions about containers that only usage names; undefined when there are none. */
  readonly unmatched: Decided | undefined;
  readonly windowStartMs: number;
  /** Labels that name the cluster of a series, and the cluster of those without. */
  readonly clusterLabels: readonly string[];
  readonly clusterId: string;
  /** The last label, where it is not configured. */
  readonly foundLabel: string | undefined;
  /** Kinds of usage with samples. */
  readonly used: ReadonlySet<string>;
  /** Metrics that came by cAdvisor's old labels. */
  readonly oldNames: ReadonlySet<string>;
  readonly droppedSamples: number;
  /** Nodes that show no usage of containers, while others do: `cluster/node`. */
  readonly nodesWithoutUsage: readonly string[];
  /** Known only with idle. */
  readonly excess: Excess;
  /** The set of the ledger that the warnings are stored with; null: money is that of all sets. */
  readonly set: number | null;
  /** The latest sample within the read range, and the time now: Unix ms. */
  readonly latestMs: number;
  readonly nowMs: number;
  /** Warnings of the store about its own answers. */
  readonly ofStore: ReadonlySet<string>;
  /** The same is scraped twice on purpose. */
  readonly hasReplicas: boolean;
}

const CAPACITY = FACTS.nodeCapacity.selection.metric;
/** Clocks may differ by so much without a warning. */
const AHEAD_MS = 60_000;

type Rule = (seen: Observations) => readonly WarningLike[];

/** What is missing of a cluster by what was read of it. */
const FAILED = {
  'pods and nodes': 'its volumes and load balancers are left out, its traffic has list prices',
  nothing: 'it is left out',
} as const;

/** Parts that are missing. */
const GAPS: readonly Rule[] = [
  ({ decided, unmatched }) =>
    [...decided.failures, ...(unmatched?.failures ?? [])].map(({ cluster, read }) =>
      warning(
        `internal error in cluster '${cluster}': ${FAILED[read]}; the log has the cause (BUG)`,
        {
          clusters: [cluster],
        },
      ),
    ),
  ({ ofStore }) => [...ofStore],
  ({ decided, windowStartMs }) => {
    if (decided.firstMs === Infinity || decided.firstMs <= windowStartMs + GAP_MS) return [];
    const first = new Date(decided.firstMs).toISOString();
    return [`the store's first sample of a pod is at ${first}: earlier cost is unknown`];
  },
  gapsOf('pods'),
  gapsOf('nodes'),
  ({ decided, used }) =>
    (['cpu', 'ram'] as const)
      .filter((resource) => !used.has(resource) && decided.workloads > 0)
      .map((name) => `the store has no samples of ${USAGE[name].metric}: usage counts as 0`),
  ({ nodesWithoutUsage }) =>
    counted(
      `nodes without usage of containers, which other nodes have (${listed(nodesWithoutUsage)})`,
      nodesWithoutUsage.length,
      'their pods cost what they request',
      { nodes: nodesWithoutUsage },
    ),
  ({ decided: { unknownNodes } }) =>
    counted(
      `nodes without samples of ${CAPACITY} for CPU and RAM (${listed(unknownNodes)})`,
      unknownNodes.length,
      'they have no idle cost',
      { nodes: unknownNodes },
    ),
];

/** Answers add up money of stored sets, see `addedWarnings`, and then show it in cents. */
const [STORED_DECIMALS, SHOWN_DECIMALS] = [8, 2];

/** Nodes that are not billed as Linux machines, by the source of their prices. */
const OTHER_TERMS: Readonly<Partial<Record<PriceSource, readonly [what: string, sequel: string]>>> =
  {
    fargate: [
      'nodes of EKS Fargate',
      'their pods cost the size that Fargate provisions (annotation CapacityProvisioned, else requests rounded up), at list price, without idle cost',
    ],
    autopilot: [
      'nodes of GKE Autopilot',
      'their pods cost their requests at the list price of general-purpose pods, without idle cost; pods of the system cost nothing',
    ],
    windows: [
      'nodes with Windows',
      'their list price is that of Linux plus the licence by vCPU-hour',
    ],
    virtual: [
      'virtual nodes without a price',
      'they and their pods cost nothing here, as the cloud bills container groups; --node-types can price them',
    ],
    book: [
      'nodes of no known cloud (bare metal)',
      'they cost the price book; --node-types can price them',
    ],
    kwok: ['simulated nodes (kwok)', 'they and their pods cost nothing'],
  };

/** Odd data; all of it is in the numbers. */
const ANOMALIES: readonly Rule[] = [
  ({ droppedSamples }) => some(droppedSamples, 'samples were NaN or infinite: dropped'),
  ({ latestMs, nowMs }) => {
    if (!(latestMs > nowMs + AHEAD_MS)) return [];
    const latest = new Date(latestMs).toISOString();
    return [`samples are in the future, until ${latest}: those after now are left out`];
  },
  ({ decided: { unpriced } }) => [
    ...some(
      unpriced.uncatalogued,
      'nodes have neither price series nor a type in --node-types: they cost the default book',
    ),
    ...namedTypes(
      unpriced.unlisted,
      'no list price',
      'they cost what cores and GiB cost in their region, or the price book',
    ),
    ...namedTypes(
      unpriced.unlistedRegions,
      'no list price in their region',
      'their pods cost the price of us-east-1 or us-central1 times the ratio of core prices',
    ),
    ...namedTypes(
      unpriced.unlistedGpus,
      'no list price',
      'they cost what us-central1 asks for them, or the price book',
      GPUS,
    ),
    ...namedTypes(
      unpriced.guessedSpot,
      'no spot price',
      'they cost their list price times the ratio of spot in the price book',
    ),
    ...unpriced.otherwise.flatMap(([source, nodes]) => {
      const [what = '', sequel = ''] = OTHER_TERMS[source] ?? [];
      return counted(`${what} (${listed(nodes)})`, nodes.length, sequel, { nodes });
    }),
    ...counted(
      'nodes whose price is 0, below 0 or above 100,000 USD an hour at times',
      unpriced.doubted,
      'the price before holds',
    ),
  ],
  ({ decided: { unlistedClasses } }) =>
    namedTypes(unlistedClasses, 'no list price', 'they cost the price book', VOLUMES),
  ({ decided: { unbilledVolumes } }) => [
    ...namedTypes(
      unbilledVolumes.unsized,
      'a capacity that is not billed',
      'they cost nothing here, as their store bills what it holds; a row of --node-types by storage class prices them',
      VOLUMES,
    ),
    ...namedTypes(
      unbilledVolumes.local,
      "the node's own disk behind them",
      'they cost nothing beside it; a row of --node-types by storage class prices them',
      VOLUMES,
    ),
  ],
  charged('volumes of NFS servers', 'servedVolumes', 'for each server, as large as its largest'),
  ({ excess }) => excessWarnings(excess),
  ({ decided: { unknownAccelerators } }) =>
    counted(
      `accelerators of nodes that are not known (${listed(unknownAccelerators)})`,
      unknownAccelerators.length,
      'they cost nothing by themselves',
    ),
  ({ decided: { untoldClaims } }) =>
    counted(
      'pods with claims of devices, which no series of kube_resourceclaim_allocation_device_info tells',
      untoldClaims,
      'their GPUs are idle',
    ),
  charged('volumes held by no claim', 'unclaimedVolumes'),
  charged('volumes claimed but mounted by no pod', 'unmountedVolumes'),
  charged('load balancers without pods behind their service', 'unservedBalancers'),
  ({ decided: { anomalies } }) => {
    const text = `claims that pods mount, but no volume is known of (${listed(anomalies.unboundClaims)})`;
    const clusters = anomalies.unboundClaims.map((claim) => claim.slice(0, claim.indexOf('/')));
    return counted(text, anomalies.unboundClaims.length, 'they cost nothing', { clusters });
  },
  ({ decided: { anomalies } }) => {
    const nodes = anomalies.outlivedNodes;
    const text = `nodes gone before their pods (${listed(nodes)})`;
    return counted(text, nodes.length, 'the last price holds', { nodes });
  },
  ({ decided: { anomalies }, hasReplicas }) => [
    ...counted(
      'pods whose labels changed within the window',
      anomalies.relabelledPods,
      'the last labels count for all of it',
    ),
    ...counted(
      'pods, nodes, volumes or load balancers told of by several exporters at once',
      hasReplicas ? 0 : anomalies.doubled,
      'each is charged once',
    ),
  ],
  ({ decided: { anomalies } }) => disputed(anomalies.disputes),
  ({ decided: { doubtedRequests } }) =>
    counted(
      'containers that request less than nothing, or more than twice what their node has',
      doubtedRequests,
      'the request before holds',
    ),
  ({ unmatched }) =>
    counted(
      'containers named by usage alone',
      unmatched?.workloads ?? 0,
      'they cost what they used',
    ),
  ({ oldNames }) => {
    const text = 'by the old labels pod_name and container_name: read as pod and container';
    const message = `series of ${listed([...oldNames].sort())} come ${text}`;
    return oldNames.size === 0 ? [] : [warning(message, { cost: 0 })];
  },
  ({ foundLabel }) =>
    foundLabel === undefined
      ? []
      : [
          `nodes of one name differ by the label ${foundLabel}: its values count as clusters; ` +
            `set --cluster-label ${foundLabel}`,
        ],
  ({ decided: { anomalies } }) =>
    counted(
      `nodes priced under a cluster without pods (${listed(anomalies.strayPrices)})`,
      anomalies.strayPrices.length,
      'nodes of their names in other clusters cost list prices: give prices the label of the cluster',
      { nodes: anomalies.strayPrices },
    ),
  ({ decided, unmatched, clusterLabels, clusterId }) => {
    const metrics = [...decided.anomalies.unlabelled, ...(unmatched?.anomalies.unlabelled ?? [])];
    const labels = clusterLabels.join(' or ');
    return metrics.length === 0
      ? []
      : [
          warning(
            `series of ${listed([...new Set(metrics)])} have no label ${labels}, though others do: ` +
              `they belong to cluster '${clusterId}' (--cluster-id)`,
            { clusters: [clusterId] },
          ),
        ];
  },
];

/** Hours of stored sets are not added up with them, as money is. */
function gapsOf(name: 'pods' | 'nodes'): Rule {
  return ({ decided, set }) => {
    const { [name]: all } = decided.gaps;
    const own = set === null ? all : all.ofSets.find((each) => each.set === set);
    const { count, hours, usd, nodes } = own ?? NO_GAPS;
    const text = `${name} have gaps of more than 10m without samples: those are not cost`;
    const about = { cost: usd, nodes };
    const decimals = set === null ? SHOWN_DECIMALS : STORED_DECIMALS;
    const money = `$${usd.toFixed(decimals)} is not charged`;
    return some(
      count,
      set === null ? `${text}, ${hours.toFixed(2)} hours; ${money}` : `${text}; ${money}`,
      about,
    );
  };
}

export function warningsOf(seen: Observations): Caveats {
  const caveats = new FoundCaveats();
  for (const rule of GAPS) caveats.lack(rule(seen));
  for (const rule of ANOMALIES) caveats.note(rule(seen));
  return { warnings: caveats.warnings, isPartial: caveats.isPartial };
}

/** What is known about a warning beside its message. */
type About = Parameters<typeof warning>[1];

function some(count: number, text: string, about: About = {}): WarningLike[] {
  return count > 0 ? [warning(`${count} ${text}`, about)] : [];
}

function counted(text: string, count: number, sequel: string, about: About = {}): WarningLike[] {
  return count > 0 ? [warning(`${text}: ${count}; ${sequel}`, about)] : [];
}

const NONE_CHARGED = { count: 0, cost: 0, clusters: [] };
const NO_GAPS = { count: 0, hours: 0, usd: 0, nodes: [] };

/** One warning for each metric, about the money that its values differ by. */
function disputed(disputes: readonly DisputedFact[]): WarningLike[] {
  return [...new Set(disputes.map(({ metric }) => metric))].map((metric) => {
    const own = disputes.filter((one) => one.metric === metric);
    const usd = own.reduce((sum, one) => sum + one.usd, 0);
    const names = own.map(
      ({ cluster, name, counted, dropped }) => `${cluster}/${name}: ${counted}, not ${dropped}`,
    );
    const nodes = own
      .filter(({ isNode }) => isNode)
      .map(({ cluster, name }) => `${cluster}/${name}`);
    return warning(
      `series of ${metric} contradict each other or have spikes (${listed(names)}): ` +
        `$${usd.toFixed(SHOWN_DECIMALS)} depend on which is right`,
      { cost: usd, clusters: own.map(({ cluster }) => cluster), nodes },
    );
  });
}

function charged(text: string, name: keyof OwnerlessCharges, whom = 'to __unmounted__'): Rule {
  return ({ decided: { anomalies }, set }) => {
    const { [name]: all } = anomalies;
    const own = set === null ? all : all.ofSets.find((each) => each.set === set);
    const { count, cost, clusters } = own ?? NONE_CHARGED;
    const usd = cost.toFixed(set === null ? SHOWN_DECIMALS : STORED_DECIMALS);
    return counted(text, count, `$${usd} is charged ${whom}`, { cost, clusters });
  };
}

/** The first three names, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names.slice(0, 3).join(', ')}${more}`;
}
