/** Warnings of an on-demand answer. */
import { FACTS, USAGE } from '../../metrics/index.ts';
import {
  FoundCaveats,
  HOUR_MS,
  warning,
  type Caveats,
  type WarningLike,
} from '../../query/index.ts';
import type { NodeConcern } from '../inventory/concerns.ts';
import { disputedIn, type DisputedFact } from '../inventory/disputes.ts';
import type { ConcernedCosts } from '../ledger/concerned-costs.ts';
import type { Decided } from '../ledger/decide.ts';
import type { Ownerless, OwnerlessCharges } from '../ledger/anomalies.ts';
import type { UnseenPod } from '../ledger/unseen-usage.ts';
import { GAP_MS } from '../params/plan.ts';
import { GPUS, namedTypes, NODES, VOLUMES } from './named-types.ts';
import { excessWarnings, type Excess } from '../sets/excess.ts';
import type { Unseen } from '../sets/sampled-costs.ts';
import type { SetOfLedger } from '../sets/running.ts';

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
  readonly concerned: ConcernedCosts;
  /** Pods that only usage shows, or showed for a while. */
  readonly unseen: readonly UnseenPod[];
  /** Containers that no point of a grid saw; none if exact. */
  readonly betweenPoints: Unseen;
  /** Known only with idle. */
  readonly excess: Excess;
  /** The set of the ledger that the warnings are stored with; null: money is that of all sets. */
  readonly set: SetOfLedger | null;
  /** The latest sample within the read range, and the time now: Unix ms. */
  readonly latestMs: number;
  readonly nowMs: number;
  /** Warnings of the store about its own answers. */
  readonly ofStore: ReadonlySet<string>;
  /** The same is scraped twice on purpose. */
  readonly hasReplicas: boolean;
}

const CAPACITY = FACTS.nodeCapacity.selection.metric;
const REQUESTS = FACTS.requests.selection.metric;
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
  ({ unseen, set }) => {
    const own = unseen.filter((pod) => unseenHours(pod, set) > 0);
    const hours = own.reduce((sum, pod) => sum + unseenHours(pod, set), 0);
    const names = listed(own.map(({ name }) => name));
    const ofHours = set === null ? ` of ${hours.toFixed(2)} hours` : '';
    return counted(
      `pods that use CPU or memory while kube-state-metrics does not show them (${names})`,
      own.length,
      `their requests${ofHours} are unknown`,
      { clusters: own.map(({ cluster }) => cluster) },
    );
  },
  ({ decided, used }) =>
    (['cpu', 'ram'] as const)
      .filter((resource) => !used.has(resource) && decided.workloads > 0)
      .map((name) => `the store has no samples of ${USAGE[name].metric}: usage counts as 0`),
  ({ concerned: { nodesWithoutUsage: nodes, withoutUsage }, set }) =>
    counted(
      `nodes without usage of containers, which other nodes have (${listed(nodes)})`,
      nodes.length,
      'their pods cost what they request',
      { nodes, cost: costIn(withoutUsage, set), assets: assetsOf(nodes) },
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
const OTHER_TERMS: Readonly<Partial<Record<NodeConcern, readonly [what: string, sequel: string]>>> =
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
  (seen) => {
    const { unpriced } = seen.decided;
    const about = (concern: NodeConcern): About => aboutNodes(seen, concern);
    return [
      ...some(
        unpriced.uncatalogued,
        'nodes have neither price series nor a type in --node-types: they cost the default book',
        about('uncatalogued'),
      ),
      ...namedTypes(
        unpriced.unlisted,
        'no list price',
        'they cost what cores and GiB cost in their region, or the price book',
        NODES,
        about('unlisted'),
      ),
      ...namedTypes(
        unpriced.unlistedRegions,
        'no list price in their region',
        'their pods cost the price of us-east-1 or us-central1 times the ratio of core prices',
        NODES,
        about('unlistedRegion'),
      ),
      ...namedTypes(
        unpriced.unlistedGpus,
        'no list price',
        'they cost what us-central1 asks for them, or the price book',
        GPUS,
        about('unlistedGpus'),
      ),
      ...namedTypes(
        unpriced.guessedSpot,
        'no spot price',
        'they cost their list price times the ratio of spot in the price book',
        NODES,
        about('guessedSpot'),
      ),
      ...Object.entries(OTHER_TERMS).flatMap(([source, [what, sequel]]) => {
        const nodes = unpriced.nodes[source as NodeConcern] ?? [];
        const text = `${what} (${listed(nodes)})`;
        return counted(text, nodes.length, sequel, about(source as NodeConcern));
      }),
      ...counted(
        'nodes whose price is 0, below 0 or above 100,000 USD an hour at times',
        unpriced.doubted,
        'the price before holds',
        about('doubtedPrice'),
      ),
    ];
  },
  ({ decided, set }) => {
    const { unlistedClasses, anomalies } = decided;
    const { count: _, ...about } = ownIn(anomalies.unlistedVolumes, set);
    return namedTypes(unlistedClasses, 'no list price', 'they cost the price book', VOLUMES, about);
  },
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
  ({ excess, decided: { unknownNodes } }) => excessWarnings(excess, unknownNodes),
  ({ betweenPoints: { containers, mayHaveRun, usd, clusters } }) =>
    counted(
      `containers that ran${mayHaveRun ? ', or may have run,' : ''} only between two points of the resolution`,
      containers,
      `$${usd.toFixed(SHOWN_DECIMALS)} is not charged; accuracy of aggregated rows includes it`,
      { cost: usd, clusters },
    ),
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
  ({ decided: { anomalies }, concerned, set }) => {
    const nodes = anomalies.outlivedNodes;
    const text = `nodes gone before their pods (${listed(nodes)})`;
    const cost = costIn(concerned.ofConcerns.outlived, set);
    const about = { nodes, cost, assets: assetsOf(nodes) };
    return counted(text, nodes.length, 'the last price holds', about);
  },
  ({ decided: { anomalies }, hasReplicas, concerned, set }) => [
    ...counted(
      'pods whose labels changed within the window',
      anomalies.relabelledPods,
      'the last labels count for all of it',
      { clusters: anomalies.relabelledIn, cost: costIn(concerned.ofConcerns.relabelled, set) },
    ),
    ...counted(
      'pods, nodes, volumes or load balancers told of by several exporters at once',
      hasReplicas ? 0 : anomalies.doubled,
      'each is charged once',
    ),
  ],
  ({ decided: { anomalies } }) => {
    const names = anomalies.sameNames;
    const text = `pods of one name at the same time (${listed(names)})`;
    const clusters = names.map((name) => name.slice(0, name.indexOf('/')));
    const sequel =
      'series of several clusters are merged (set --cluster-label to the label that distinguishes them), or an exporter still shows deleted pods';
    return counted(text, names.length, sequel, { clusters });
  },
  ({ decided: { anomalies }, set }) => disputed(anomalies.disputes, set),
  ({ decided: { doubtedRequests, doubtedIn }, concerned, set }) =>
    counted(
      'containers that request less than nothing, or more than twice what their node has',
      doubtedRequests,
      'the request before holds',
      { clusters: doubtedIn, cost: costIn(concerned.ofConcerns.doubtedRequest, set) },
    ),
  ({ decided: { unrequested } }) =>
    counted(
      `clusters without samples of ${REQUESTS} (${listed(unrequested)})`,
      unrequested.length,
      'their pods cost what they use',
      { clusters: unrequested },
    ),
  ({ unmatched, concerned, set }) =>
    counted(
      'containers named by usage alone',
      unmatched?.workloads ?? 0,
      'they cost what they used',
      { clusters: unmatched?.unmatchedClusters ?? [], cost: costIn(concerned.ofUnmatched, set) },
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
          `nodes or pods of one name differ by the label ${foundLabel}: its values count as clusters; ` +
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
    const { count, hours, usd, nodes } = ofSet(decided.gaps[name], set) ?? NO_GAPS;
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

const NONE_CHARGED = { count: 0, cost: 0, clusters: [], assets: [] };
const NO_GAPS = { count: 0, hours: 0, usd: 0, nodes: [] };

/** One warning for each metric, about the money that its values differ by. */
function disputed(disputes: readonly DisputedFact[], set: SetOfLedger | null): WarningLike[] {
  const usdOf = (one: DisputedFact): number =>
    set === null ? one.usd : disputedIn(one, set.startMs, set.endMs);
  const within = disputes.filter((one) => usdOf(one) > 0);
  return [...new Set(within.map(({ metric }) => metric))].map((metric) => {
    const own = within.filter((one) => one.metric === metric);
    const usd = own.reduce((sum, one) => sum + usdOf(one), 0);
    const names = own.map(
      ({ cluster, name, counted, dropped }) => `${cluster}/${name}: ${counted}, not ${dropped}`,
    );
    const nodes = own
      .filter(({ isNode }) => isNode)
      .map(({ cluster, name }) => `${cluster}/${name}`);
    const decimals = set === null ? SHOWN_DECIMALS : STORED_DECIMALS;
    return warning(
      `series of ${metric} contradict each other or have spikes (${listed(names)}): ` +
        `$${usd.toFixed(decimals)} depend on which is right`,
      { cost: usd, clusters: own.map(({ cluster }) => cluster), nodes },
    );
  });
}

function charged(text: string, name: keyof OwnerlessCharges, whom = 'to __unmounted__'): Rule {
  return ({ decided: { anomalies }, set }) => {
    const { count, ...about } = ownIn(anomalies[name], set);
    const usd = about.cost.toFixed(set === null ? SHOWN_DECIMALS : STORED_DECIMALS);
    return counted(text, count, `$${usd} is charged ${whom}`, about);
  };
}

function ownIn(all: Ownerless, set: SetOfLedger | null): Omit<Ownerless, 'ofSets'> {
  const { count, cost, clusters, assets } = ofSet(all, set) ?? NONE_CHARGED;
  return { count, cost, clusters, assets };
}

/** Nodes as assets: a bill may charge another price for what is on them. */
function assetsOf(nodes: readonly string[]): string[] {
  return nodes.map((node) => `Node/${node}`);
}

/** What is known of a set, or of all sets. */
function ofSet<Of>(
  all: Of & { readonly ofSets: readonly (Of & { readonly set: number })[] },
  set: SetOfLedger | null,
): Of | undefined {
  return set === null ? all : all.ofSets.find((each) => each.set === set.index);
}

/** @param set null: all of the window */
function unseenHours({ stretches }: UnseenPod, set: SetOfLedger | null): number {
  return stretches.reduce((hours, { startMs, endMs }) => {
    const [from, to] = [set?.startMs ?? -Infinity, set?.endMs ?? Infinity];
    return hours + Math.max(0, Math.min(endMs, to) - Math.max(startMs, from)) / HOUR_MS;
  }, 0);
}

/** @param bySet absent: nothing, as no row is concerned */
function costIn(bySet: readonly number[] = [], set: SetOfLedger | null): number {
  return set === null ? bySet.reduce((sum, usd) => sum + usd, 0) : (bySet[set.index] ?? 0);
}

function aboutNodes({ decided, concerned, set }: Observations, concern: NodeConcern): About {
  const nodes = decided.unpriced.nodes[concern] ?? [];
  return { nodes, cost: costIn(concerned.ofConcerns[concern], set), assets: assetsOf(nodes) };
}

/** The first three names, and how many more there are. */
function listed(names: readonly string[]): string {
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return `${names.slice(0, 3).join(', ')}${more}`;
}
