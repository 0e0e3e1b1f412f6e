/** The metrics store: whether it answers, how far back, how exact its clock is, and what it has. */
import { FACTS, USAGE, type MetricsSource, type Selection } from '../../metrics/index.ts';
import { SECOND_MS } from '../../query/index.ts';
import type { OneStore } from '../../stores/index.ts';
import { found, foundThat, type Found } from './findings.ts';

export type ProbedSource = MetricsSource & {
  chosen?(signal: AbortSignal): Promise<string>;
  /** By how much the store's clock is ahead of ours; undefined where it does not tell. */
  clockAheadMs?(signal: AbortSignal): Promise<number | undefined>;
  /** Where it is several. */
  readonly stores?: readonly OneStore[];
};

type Replica = OneStore['replicas'][number];

const WITHIN_MS = 10 * SECOND_MS;
/** A series that is scraped has samples within this. */
const RECENT_MS = 600_000;
/** Without these no pod has a cost. */
const NEEDED = ['kube_pod_container_resource_requests', 'container_cpu_usage_seconds_total'];
/** A time in a header has whole seconds. */
const AHEAD_MS_MAX = 5 * SECOND_MS;
const AT_ONCE = 4;
const NO_BLOCKS = 'is it the folder that blocks are in, with meta.json in each?';

/** Findings by section: one for each of several stores. */
export async function stores(
  source: ProbedSource,
  nowMs: number,
): Promise<(readonly [section: string, found: readonly Found[]])[]> {
  if (source.stores === undefined) return [['metrics store', await store(source, nowMs)]];
  const replicas = source.stores.flatMap((one) =>
    one.replicas.map((replica) => ({ replica, cluster: one.entry.cluster })),
  );
  return await Promise.all(
    replicas.map(async ({ replica, cluster }) => {
      const own = [
        ...(cluster === undefined ? [] : [found('cluster', cluster)]),
        ...(await store(replica.source, nowMs)),
        ...(await otherClusters(replica, nowMs)),
      ];
      return [`metrics store ${replica.name}`, own] as const;
    }),
  );
}

/** Series that say they are of another cluster than the store: they stay those of the other. */
async function otherClusters({ source, labels }: Replica, nowMs: number): Promise<Found[]> {
  if (labels === undefined) return [];
  const range = { startMs: nowMs - RECENT_MS, endMs: nowMs };
  const room = (bytes: number): Uint8Array => new Uint8Array(bytes);
  try {
    const batches = source.read(FACTS.nodeInfo.selection, range, within());
    for await (const batch of batches) labels.give(batch, room);
  } catch {
    // That it cannot be read is found above.
    return [];
  }
  const names = [...labels.others];
  if (names.length === 0) return [];
  const hint = 'the label of a series wins: is it the right store, or are its labels renamed?';
  return [foundThat('series of other clusters', names.join(', '), 'warning', hint)];
}

async function store(source: ProbedSource, nowMs: number): Promise<Found[]> {
  const beganMs = performance.now();
  let reader: string;
  try {
    reader = (await source.chosen?.(within())) ?? source.readerName ?? 'the demo';
  } catch (error) {
    const hint = 'see --metrics-url, its credentials, and whether this machine reaches it';
    return [found('store', source.name), foundThat('answers', reasonOf(error), 'bad', hint)];
  }
  const tookMs = Math.round(performance.now() - beganMs);
  return [
    found('store', source.name),
    found('reader', `${reader}, found within ${tookMs} ms`),
    await retention(source, nowMs),
    ...(await reach(source, nowMs)),
    ...(await clock(source)),
    ...(await metrics(source, nowMs)),
  ];
}

async function retention(source: ProbedSource, nowMs: number): Promise<Found> {
  try {
    const earliestMs = await source.earliestSampleMs?.(within());
    if (earliestMs === undefined) return found('first sample', 'the store does not tell');
    const days = ((nowMs - earliestMs) / 86_400_000).toFixed(1);
    return found('first sample', `${new Date(earliestMs).toISOString()}, ${days} days ago`);
  } catch (error) {
    return foundThat('first sample', reasonOf(error), 'warning', 'days are looked for one by one');
  }
}

/** Up to where a store has samples that gets them later. */
async function reach(source: ProbedSource, nowMs: number): Promise<Found[]> {
  if (source.reachMs === undefined) return [];
  try {
    const reachMs = await source.reachMs(within());
    if (reachMs === undefined) return [foundThat('last sample', 'there is none', 'bad', NO_BLOCKS)];
    const hours = ((nowMs - reachMs) / 3_600_000).toFixed(1);
    return [found('last sample', `${new Date(reachMs).toISOString()}, ${hours} hours ago`)];
  } catch (error) {
    return [foundThat('last sample', reasonOf(error), 'warning', 'ask again')];
  }
}

async function clock(source: ProbedSource): Promise<Found[]> {
  if (source.clockAheadMs === undefined) return [];
  try {
    const aheadMs = await source.clockAheadMs(within());
    if (aheadMs === undefined) return [found('its clock', 'the store does not tell')];
    const isFar = Math.abs(aheadMs) > AHEAD_MS_MAX;
    const hint = 'samples of the last minutes are missed or in the future: let both follow NTP';
    const state = isFar ? 'warning' : 'ok';
    return [foundThat('its clock is ahead by', `${Math.round(aheadMs / 1000)} s`, state, hint)];
  } catch (error) {
    return [foundThat('its clock', reasonOf(error), 'warning', 'ask again')];
  }
}

/** Which metrics of the catalogue have a series now. */
async function metrics(source: ProbedSource, nowMs: number): Promise<Found[]> {
  const facts = Object.values(FACTS).map(({ selection }) => selection);
  const selections = [...facts, ...Object.values(USAGE)];
  const byMetric = new Map(selections.map((one) => [one.metric, one]));
  const endMs = (await source.reachMs?.(within()).catch(() => undefined)) ?? nowMs;
  const range = { startMs: endMs - RECENT_MS, endMs };
  const [present, missing, failed]: [string[], string[], string[]] = [[], [], []];
  const queue = byMetric.values();
  const look = async (): Promise<void> => {
    for (const selection of queue) {
      const { metric } = selection;
      const isThere = await hasSeries(source, selection, range).catch(() => undefined);
      (isThere === undefined ? failed : isThere ? present : missing).push(metric);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
  const lacking = NEEDED.filter((metric) => missing.includes(metric));
  const hint = `without ${lacking.join(' and ')} no pod has a cost: is it scraped?`;
  const list = (names: readonly string[]): string => names.toSorted().join(', ') || 'none';
  return [
    found('metrics that are there', list(present)),
    foundThat('metrics that are not', list(missing), lacking.length > 0 ? 'bad' : 'ok', hint),
    ...(failed.length === 0 ? [] : [unreadable(list(failed))]),
  ];
}

function unreadable(names: string): Found {
  return foundThat('metrics that cannot be read', names, 'warning', 'the store fails at them');
}

async function hasSeries(
  source: ProbedSource,
  selection: Selection,
  range: { startMs: number; endMs: number },
): Promise<boolean> {
  for await (const batch of source.read(selection, range, within())) {
    if (batch.bytes.length > 0) return true;
  }
  return false;
}

function within(): AbortSignal {
  return AbortSignal.timeout(WITHIN_MS);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
