/**
 * Days of containers for the torture harness, made of a seed: names that break writers, labels of
 * every size, and numbers whose sums are exact whatever order they are added in, so that what an
 * answer must say can be worked out to the last bit.
 */
import { seededRandom } from '../../bench/random.ts';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** One container of one day, or what a node left idle. Missing texts are ''. */
export interface Row {
  readonly cluster: string;
  readonly node: string;
  readonly container: string;
  readonly controller: string;
  readonly controllerKind: string;
  readonly namespace: string;
  readonly pod: string;
  readonly providerID: string;
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly namespaceLabels: Pairs;
  readonly services: readonly string[];
  /** JSON, or ''. */
  readonly pvs: string;
  readonly endSource: string;
  /** Its node's; '' unknown. */
  readonly priceSource: string;
  /** Unix ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly endUncertaintyMs: number;
  /** By their column's name; one that is missing is 0 in every row. */
  readonly measures: Readonly<Record<string, number>>;
}

export interface Day {
  readonly startMs: number;
  readonly endMs: number;
  readonly rows: readonly Row[];
}

/** 2024-05-01T00:00:00Z */
export const FIRST_DAY_MS = 1_714_521_600_000;
export const DAY_MS = 86_400_000;
export const IDLE = '__idle__';

const CONTAINERS_OF_POD = 2;
const PODS_OF_CONTROLLER = 5;
const CONTROLLERS_OF_NAMESPACE = 25;
const ROWS_OF_NODE = 40;
const NODES_OF_CLUSTER = 500;
/** One pod in so many comes back to its node: two rows of one name. */
const RETURNS_EVERY = 97;
/** One pod in so many has an awkward name, and one controller in so many an awkward label. */
const AWKWARD_PODS = 53;
const AWKWARD_APPS = 11;

/** Texts that need escaping, quoting, or a mark against spreadsheets; none is in [U+E000, U+FFFF]. */
const AWKWARD: readonly string[] = [
  'say "hello"', 'comma, comma', '=1+1', '+cmd|calc', '-2', '@sum', 'back\\slash', 'line\nfeed',
  'return\r', '\ttab', 'nul\u0000', '\u0001\u001f', '\u007f', '😀', '\u{10ffff}', 'é', 'ß', '東京',
  '\u2028', "it's", '{"a":1}', '</script>', '%2F', 'a'.repeat(253), '長'.repeat(80), ' ', '""', '\\"',
]; // prettier-ignore

const KINDS: readonly string[] = [
  'deployment',
  'deployment',
  'statefulset',
  'daemonset',
  'job',
  '',
];
const END_SOURCES: readonly string[] = ['completionTime', 'running', 'staleMarker', 'lastSample'];

/** Costs and hours are multiples of this up to 1024, so that a million of them add up exactly. */
const GRAIN = 2 ** -18;
const AMOUNTS: readonly string[] = [
  'cpuCoreHours', 'cpuCoreRequestHours', 'cpuCoreUsageHours', 'cpuCost', 'cpuCostAdjustment', 'networkCost',
  'networkCrossZoneCost', 'networkInternetCost', 'ramCost', 'ramCostAdjustment',
]; // prettier-ignore
/** What only some rows have. */
const RARE_AMOUNTS: readonly string[] = ['gpuHours', 'gpuCost', 'gpuRequestHours', 'gpuUsageHours', 'pvCost', 'loadBalancerCost']; // prettier-ignore
/** Multiples of a MiB up to a TiB. */
const BYTES: readonly string[] = [
  'networkTransferBytes', 'networkReceiveBytes', 'ramByteHours', 'ramByteRequestHours', 'ramByteUsageHours',
]; // prettier-ignore
const MIB = 2 ** 20;
const OTHERS: readonly string[] = ['pvCostAdjustment', 'cpuCoreUsageMax', 'ramByteUsageMax'];
/** Every measure, so that all rows have one shape, which loops over them gain from. */
const NOTHING: Readonly<Record<string, number>> = Object.fromEntries(
  [...AMOUNTS, ...RARE_AMOUNTS, ...BYTES, ...OTHERS].map((name) => [name, 0]),
);

type Random = () => number;

/** @param rows of containers; idle of nodes comes beside them */
export function makeDay(seed: number, rows: number, day: number): Day {
  const random = seededRandom(seed * 7919 + day + 1);
  const startMs = FIRST_DAY_MS + day * DAY_MS;
  const times = { startMs, endMs: startMs + DAY_MS };
  const containers = Array.from({ length: rows }, (_, i) => containerRow(random, times, i, day));
  const nodes = Math.ceil(rows / ROWS_OF_NODE);
  const idle = Array.from({ length: nodes }, (_, i) => idleRow(random, times, i));
  return { ...times, rows: [...idle, ...containers] };
}

function containerRow(
  random: Random,
  day: Pick<Day, 'startMs' | 'endMs'>,
  i: number,
  n: number,
): Row {
  const pod = Math.floor(i / CONTAINERS_OF_POD);
  const controller = Math.floor(pod / PODS_OF_CONTROLLER);
  const kind = KINDS[controller % KINDS.length] ?? '';
  const isBare = controller % 41 === 40;
  const name =
    controller % 29 === 28 ? `svc ${pick(AWKWARD, controller)}` : `service-${controller}-backend`;
  const isReturned = pod % RETURNS_EVERY === 0;
  const startMs = day.startMs + Math.floor(random() * 9e6);
  return {
    ...place(Math.floor(i / ROWS_OF_NODE)),
    namespace: `team-${Math.floor(controller / CONTROLLERS_OF_NAMESPACE)}`,
    controllerKind: isBare ? '' : kind,
    controller: isBare ? '' : name,
    pod: podName(name, isReturned ? pod - (pod % CONTAINERS_OF_POD) : pod, n),
    container: isReturned || i % CONTAINERS_OF_POD === 0 ? 'main' : 'istio-proxy',
    labels: labelsOf(controller, i),
    annotations: controller % 13 === 0 ? [['note', pick(AWKWARD, controller)]] : [],
    namespaceLabels: [['cost-centre', `c${Math.floor(controller / CONTROLLERS_OF_NAMESPACE) % 7}`]],
    services: controller % 3 === 0 ? [`${name}-http`, pick(AWKWARD, controller)] : [],
    pvs: i % 61 === 0 ? JSON.stringify({ [`pv-${i}`]: { byteHours: i, cost: i / 8 } }) : '',
    endSource: pick(END_SOURCES, Math.floor(random() * END_SOURCES.length)),
    startMs,
    endMs: i % 17 === 0 ? startMs + 1 + Math.floor(random() * 7e7) : day.endMs,
    endUncertaintyMs: i % 5 === 0 ? Math.floor(random() * 60_000) : 0,
    measures: measuresOf(random, i),
  };
}

/** Nodes beside each other differ, so that their rows are of several sources together. */
const SOURCES: readonly string[] = ['list', 'list', 'book', 'series', ''];

function place(node: number): Pick<Row, 'cluster' | 'node' | 'providerID' | 'priceSource'> {
  const cluster = Math.floor(node / NODES_OF_CLUSTER);
  const name = `ip-10-0-${node}.eu-central-1.compute.internal`;
  return {
    cluster: `production-${cluster}`,
    node: name,
    providerID: `aws:///eu-central-1a/i-${node}`,
    priceSource: pick(SOURCES, node),
  };
}

function podName(controller: string, pod: number, day: number): string {
  const own = ((pod * 2654435761 + day * 97) % 36 ** 5).toString(36).padStart(5, '0');
  if (pod % AWKWARD_PODS === 0) return `${pick(AWKWARD, pod / AWKWARD_PODS)}-${pod}-${own}`;
  return `${controller}-7d9f8b6c5d-${pod}-${own}`;
}

function labelsOf(controller: number, row: number): Pairs {
  const app = controller % AWKWARD_APPS === 0 ? pick(AWKWARD, controller) : `app-${controller}`;
  const many = controller % 37 === 0 ? 64 : controller % 3;
  return [
    ...(controller % 19 === 18 ? [] : [['app', controller % 23 === 22 ? '' : app] as const]),
    ...Array.from({ length: many }, (_, i) => [`label_${i}`, `${controller}.${i}`] as const),
    ['tier', `t${row % 2}`],
  ];
}

function idleRow(
  random: Random,
  { startMs, endMs }: Pick<Day, 'startMs' | 'endMs'>,
  node: number,
): Row {
  const amount = (): number => grains(random);
  return {
    ...place(node),
    namespace: '',
    controllerKind: '',
    controller: '',
    pod: '',
    container: IDLE,
    labels: [],
    annotations: [],
    namespaceLabels: [],
    services: [],
    pvs: '',
    endSource: 'running',
    startMs,
    endMs,
    endUncertaintyMs: 0,
    measures: {
      ...NOTHING,
      cpuCoreHours: amount(),
      cpuCost: amount(),
      ramByteHours: MIB * node,
      ramCost: amount(),
    },
  };
}

function measuresOf(random: Random, row: number): Record<string, number> {
  const measures: Record<string, number> = { ...NOTHING };
  for (const name of AMOUNTS) measures[name] = grains(random);
  for (const name of BYTES) measures[name] = MIB * Math.floor(random() * MIB);
  if (row % 7 === 0) for (const name of RARE_AMOUNTS) measures[name] = grains(random);
  if (row % 7 === 1) measures['pvCostAdjustment'] = -GRAIN - grains(random);
  if (row % 31 === 0) measures['cpuCoreRequestHours'] = 0;
  measures['cpuCoreUsageMax'] = random() * 64;
  measures['ramByteUsageMax'] = Math.floor(random() * 2 ** 36);
  return measures;
}

function grains(random: Random): number {
  return GRAIN * Math.floor(random() * 2 ** 28);
}

function pick(from: readonly string[], place: number): string {
  return from[place % from.length] ?? '';
}
