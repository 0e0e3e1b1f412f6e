/**
 * Machines that had the name of one node, one after another: clouds reuse addresses, and with them
 * the names of nodes. Each machine has its type, place, pool, price and bill.
 *
 *   provider_id, system_uuid   another one is another machine; a provider_id that ends with the node's name, as
 *                              on GKE, is only another name of it
 *   kube_node_created          where neither is known, another creation time is another machine
 *   instance type              another one is priced on its own, also of a machine that was resized
 *
 * Series that contradict each other at the same time do not show two machines.
 */
import {
  bookRates,
  BYTES_PER_GIB,
  higherVersion,
  listPriceOf,
  listRates,
  placeOfNode,
  type PriceBook,
} from '../../pricing/index.ts';
import { disputedIn, type Dispute } from './disputes.ts';
import type { Inventory } from './inventory.ts';
import type { NodeFacts, NodeSighting, NodeTraits, Volume } from './nodes-and-volumes.ts';
import { Presence } from './presence.ts';
import { Runs } from './runs.ts';
import { mergedTexts } from './texts.ts';

/** Names that the platforms give to nodes of theirs; labels may not be collected. */
const KINDS_BY_NAME: readonly (readonly [RegExp, NodeTraits['kind']])[] = [
  [/^fargate-(ip-)?\d/, 'fargate'],
  [/^gk3-/, 'autopilot'],
  [/^virtual-(node|kubelet)-/, 'virtual'],
  [/^kwok-/, 'kwok'],
];

/** @param name of the node; '' without its traits */
export function noTraits(name: string = ''): NodeTraits {
  return {
    providerId: '',
    systemUuid: '',
    type: '',
    region: '',
    zone: '',
    cloud: '',
    pool: '',
    isSpotByLabel: false,
    gpuLabels: {},
    kind: KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? '',
    isMachineClass: false,
    isWindows: false,
    hasLabels: false,
    address: '',
    kubeletVersion: '',
    labels: undefined,
  };
}

/** The first series that shows a trait counts. */
export function addTraits(to: NodeTraits, more: NodeTraits): void {
  to.providerId ||= more.providerId;
  to.systemUuid ||= more.systemUuid;
  to.type ||= more.type;
  to.region ||= more.region;
  to.zone ||= more.zone;
  to.cloud ||= more.cloud;
  to.pool ||= more.pool;
  to.isSpotByLabel ||= more.isSpotByLabel;
  Object.assign(to.gpuLabels, more.gpuLabels);
  to.isMachineClass ||= more.isMachineClass;
  // Labels and ids count before names.
  to.kind = to.isMachineClass ? '' : more.kind || to.kind;
  to.isWindows ||= more.isWindows;
  to.hasLabels ||= more.hasLabels;
  to.address ||= more.address;
  to.kubeletVersion = higherVersion(to.kubeletVersion, more.kubeletVersion);
  to.labels = more.labels ? mergedTexts(to.labels, more.labels) : to.labels;
}

/** What is uncertain counts within the window, at the prices of the book where no others are known. */
export interface SettleOptions {
  readonly book: PriceBook;
  readonly windowStartMs: number;
  readonly windowEndMs: number;
}

/**
 * Decides what series contradict each other about, and splits nodes whose name several machines had.
 * Called once, after all facts are read.
 */
export function settleMachines(inventory: Inventory, options: SettleOptions): void {
  const {
    nodes,
    machines,
    options: { gapMs },
  } = inventory;
  for (const node of nodes.values()) settleNode(inventory, node, options);
  for (const volume of inventory.volumes.values()) settleVolume(inventory, volume, options);
  for (const [key, node] of nodes) {
    const births = birthsOf(node, gapMs);
    if (births.length === 0) continue;
    const all = split(node, births, gapMs);
    machines.set(key, all);
    nodes.set(key, all.at(-1) ?? node);
  }
}

/** A price is plausible within that factor of the list price or the book's. */
const PRICE_FACTOR = 10;
/** A machine has about as much as its type. */
const SIZE_FACTOR = 1.5;

function isNear(reference: number | undefined, factor: number): (value: number) => boolean {
  if (reference === undefined || !(reference > 0)) return () => true;
  return (value) => value <= reference * factor && value * factor >= reference;
}

function settleNode(inventory: Inventory, node: NodeFacts, options: SettleOptions): void {
  const { book } = options;
  const { capacity } = node;
  const { provider, region } = placeOfNode(node);
  const type =
    node.type === '' ? undefined : listPriceOf(provider, region, node.type, book.usdPerEuro);
  const size = type && { cpuCores: type.cpuCores, ramGiB: type.ramGiB, gpus: 0 };
  const isSpot = node.isSpotByLabel || node.isSpot.merged().at(-1) === 1;
  const rates =
    listRates({ ...node, gpuModel: '', isSpot }, size, book)?.rates ?? bookRates(book, isSpot);
  const [cores, bytes] = [last(capacity.cpu), last(capacity.ram)];
  const of = (metric: string, each: number): DisputeReport => ({
    inventory,
    metric,
    of: node,
    isNode: true,
    each,
    options,
  });
  const { gapMs } = inventory.options;
  const isPrice = (usd: number): ((value: number) => boolean) => isNear(usd, PRICE_FACTOR);
  report(of('node_cpu_hourly_cost', cores), node.cpu.settle(gapMs, isPrice(rates.cpuCoreHour)));
  report(
    of('node_ram_hourly_cost', bytes / BYTES_PER_GIB),
    node.ram.settle(gapMs, isPrice(rates.ramGiBHour)),
  );
  report(
    of('node_gpu_hourly_cost', 1),
    node.gpu.settle(gapMs, () => true),
  );
  const isSize =
    (own: number | undefined, resource: 'cpu' | 'ram') =>
    (value: number): boolean =>
      isNear(own, SIZE_FACTOR)(value) && value >= requestedOn(inventory, node, resource);
  const metric = 'kube_node_status_capacity';
  const price = (runs: Runs, usd: number): number => last(runs) || usd;
  report(
    of(metric, price(node.cpu, rates.cpuCoreHour)),
    capacity.cpu.settle(gapMs, isSize(type?.cpuCores, 'cpu')),
  );
  report(
    of(metric, price(node.ram, rates.ramGiBHour) / BYTES_PER_GIB),
    capacity.ram.settle(gapMs, isSize(type && type.ramGiB * BYTES_PER_GIB, 'ram')),
  );
}

function settleVolume(inventory: Inventory, volume: Volume, options: SettleOptions): void {
  const { gapMs } = inventory.options;
  const { book } = options;
  const of = (metric: string, each: number): DisputeReport => ({
    inventory,
    metric,
    of: volume,
    isNode: false,
    each,
    options,
  });
  // Called only where series contradict each other: it looks at all claims.
  const isSize = (value: number): boolean => {
    const claimed = [...inventory.claims.values()]
      .filter(({ cluster, byVolume }) => cluster === volume.cluster && byVolume.has(volume.name))
      .map(({ bytes }) => last(bytes));
    return claimed.every((bytes) => value >= bytes) && isNear(claimed[0], SIZE_FACTOR)(value);
  };
  const isPrice = isNear(book.storageGiBHour, PRICE_FACTOR);
  const { price, bytes } = volume;
  report(of('pv_hourly_cost', last(bytes) / BYTES_PER_GIB), price.settle(gapMs, isPrice));
  const usd = (last(price) || book.storageGiBHour) / BYTES_PER_GIB;
  report(of('kube_persistentvolume_capacity_bytes', usd), bytes.settle(gapMs, isSize));
}

interface DisputeReport {
  readonly inventory: Inventory;
  readonly metric: string;
  readonly of: { readonly cluster: string; readonly name: string };
  readonly isNode: boolean;
  /** USD an hour for a unit of a size, or units for a price. */
  readonly each: number;
  readonly options: SettleOptions;
}

function report(of: DisputeReport, disputes: readonly Dispute[]): void {
  const { windowStartMs: startMs, windowEndMs: endMs } = of.options;
  const apart = ({ counted, dropped }: Dispute): number => Math.abs(dropped - counted);
  const own = disputes.filter((one) => one.startMs < endMs && one.endMs > startMs);
  const [first, ...others] = own;
  if (first === undefined) return;
  const { counted, dropped } = others.reduce(
    (worst, one) => (apart(one) > apart(worst) ? one : worst),
    first,
  );
  const { metric, isNode } = of;
  const { cluster, name } = of.of;
  const times = own.map((one) => ({
    startMs: one.startMs,
    endMs: one.endMs,
    usdPerHour: apart(one) * of.each,
  }));
  const fact = { metric, cluster, name, isNode, counted, dropped, usd: 0, times };
  const usd = disputedIn(fact, startMs, endMs);
  if (usd > 0) of.inventory.disputes.push({ ...fact, usd });
}

/** The most that pods on a node request at one time. */
function requestedOn({ pods }: Inventory, node: NodeFacts, resource: 'cpu' | 'ram'): number {
  const turns: [atMs: number, change: number][] = [];
  for (const { cluster, byUid } of pods)
    for (const pod of cluster === node.cluster ? byUid.values() : []) {
      if (pod.node !== node.name || pod.presence.isEmpty) continue;
      let requested = 0;
      pod.containers.forEach(
        ({ requests }) => (requested += Math.max(0, requests[resource].largest() || 0)),
      );
      turns.push([pod.presence.firstMs, requested], [pod.presence.lastMs, -requested]);
    }
  let [now, most] = [0, 0];
  for (const [, change] of turns.sort(([a, more], [b, other]) => a - b || more - other)) {
    now += change;
    most = Math.max(most, now);
  }
  return most;
}

function last(runs: Runs): number {
  return Math.max(0, runs.merged().at(-1) ?? 0);
}

/** When the name became another machine's. Unix ms */
interface Birth {
  /** The last sample that shows the machine before. */
  readonly untilMs: number;
  /** The first sample that shows the machine. */
  readonly seenMs: number;
}

function birthsOf({ name, sightings, createdSeconds }: NodeFacts, gapMs: number): Birth[] {
  const idOf = ({ traits: { providerId, systemUuid } }: NodeSighting): string =>
    providerId.endsWith(`/${name}`) ? systemUuid : providerId || systemUuid;
  const infos = sightings.filter(({ fact }) => fact === 'nodeInfo');
  const hasId = infos.some((one) => idOf(one) !== '');
  const births = successions(hasId ? infos : sightings, idOf, gapMs);
  const add = (more: readonly Birth[]): void => {
    const isNew = ({ untilMs, seenMs }: Birth): boolean =>
      births.every((one) => untilMs > one.seenMs + gapMs || seenMs < one.untilMs - gapMs);
    births.push(...more.filter(isNew));
  };
  const isKnown = sightings.some((one) => idOf(one) !== '') || !createdSeconds.isEmpty;
  if (!sightings.some((one) => idOf(one) !== '')) add(creations(createdSeconds.merged()));
  const labelled = sightings.filter(
    ({ fact, traits }) => fact === 'nodeLabels' && traits.type !== '',
  );
  const typed = labelled.length > 0 ? labelled : sightings;
  add(successions(typed, ({ traits }) => traits.type, gapMs));
  const capacityTypeOf = ({ traits }: NodeSighting): string =>
    traits.isSpotByLabel ? 'spot' : 'on demand';
  if (!isKnown) add(successions(labelled, capacityTypeOf, gapMs));
  return births.sort((a, b) => a.seenMs - b.seenMs);
}

/** Where one text follows another. '' says nothing. */
function successions(
  sightings: readonly NodeSighting[],
  textOf: (sighting: NodeSighting) => string,
  gapMs: number,
): Birth[] {
  const births: Birth[] = [];
  let now = { text: '', lastMs: -Infinity };
  const known = sightings.filter((one) => textOf(one) !== '' && one.firstMs <= one.lastMs);
  for (const one of known.toSorted((a, b) => a.firstMs - b.firstMs)) {
    const { firstMs, lastMs } = one;
    const text = textOf(one);
    if (now.text === '' || now.text === text) {
      now = { text, lastMs: Math.max(now.lastMs, lastMs) };
    } else if (firstMs > now.lastMs - gapMs && lastMs > now.lastMs) {
      births.push({ untilMs: Math.min(now.lastMs, firstMs), seenMs: firstMs });
      now = { text, lastMs };
    }
  }
  return births;
}

/** Where a node is created again. Exporters that contradict each other go back and forth. */
function creations(pairs: readonly number[]): Birth[] {
  const births: Birth[] = [];
  for (let i = 2; i < pairs.length; i += 2) {
    const [seenMs = NaN, seconds = NaN, before = NaN] = [pairs[i], pairs[i + 1], pairs[i - 1]];
    if (!(seconds > before)) return [];
    births.push({ untilMs: seenMs, seenMs });
  }
  return births;
}

function split(node: NodeFacts, births: readonly Birth[], gapMs: number): NodeFacts[] {
  const bounds = births.map((birth) => ({ ...birth, ...creationAt(node, birth, gapMs) }));
  return [undefined, ...bounds].map((own, i): NodeFacts => {
    const next = bounds[i];
    const [sinceMs, seenMs] = [own?.fromMs ?? -Infinity, own?.seenMs ?? -Infinity];
    const untilMs = next?.fromMs ?? Infinity;
    const cut = (runs: Runs): Runs => cutRuns(runs, sinceMs, seenMs, untilMs);
    const presence = new Presence(gapMs);
    presence.absorb(node.presence, sinceMs, Math.min(untilMs, (next?.untilMs ?? Infinity) + 1));
    const { capacity, accelerators } = node;
    const traits = noTraits(node.name);
    for (const sighting of node.sightings)
      if (isOf(sighting, sinceMs, untilMs, gapMs)) addTraits(traits, sighting.traits);
    return {
      ...node,
      ...traits,
      presence,
      createdSeconds: own ? runsOf(own.created) : cut(node.createdSeconds),
      capacity: { cpu: cut(capacity.cpu), ram: cut(capacity.ram), gpu: cut(capacity.gpu) },
      accelerators: accelerators && new Map([...accelerators].map(([of, runs]) => [of, cut(runs)])),
      cpu: cut(node.cpu),
      ram: cut(node.ram),
      gpu: cut(node.gpu),
      isSpot: cut(node.isSpot),
      sinceMs,
      untilMs,
      lastMs: next ? presence.lastMs : node.lastMs,
    };
  });
}

interface Creation {
  /** From then on the name is the machine's. Unix ms */
  readonly fromMs: number;
  /** Its creation time as pairs (fromMs, seconds); none where it is unknown. */
  readonly created: readonly number[];
}

/** Its creation where that is told and lies between the machines, else its first sample. */
function creationAt({ createdSeconds }: NodeFacts, birth: Birth, gapMs: number): Creation {
  const { seenMs, untilMs } = birth;
  const seconds = createdSeconds.heldIn(seenMs, seenMs + 1).at(-1) ?? NaN;
  const createdMs = seconds * 1000;
  const isBetween = createdMs > untilMs - gapMs && createdMs <= seenMs;
  return isBetween
    ? { fromMs: createdMs, created: [createdMs, seconds] }
    : { fromMs: seenMs, created: [] };
}

/** Whether a series is of the machine: the one before may be seen for a while after it is gone. */
function isOf(
  { firstMs, lastMs }: NodeSighting,
  sinceMs: number,
  untilMs: number,
  gapMs: number,
): boolean {
  const isBegun = firstMs >= sinceMs && firstMs < untilMs;
  return isBegun || Math.min(lastMs, untilMs) - Math.max(firstMs, sinceMs) > gapMs;
}

/** What is told of a machine; what was told of the one before holds where nothing else is told at first. */
function cutRuns(runs: Runs, sinceMs: number, seenMs: number, untilMs: number): Runs {
  const begun = runs.begunIn(sinceMs, untilMs);
  const isOwn = sinceMs === -Infinity || (begun[0] ?? Infinity) <= seenMs;
  return runsOf(isOwn ? begun : runs.heldIn(sinceMs, untilMs));
}

function runsOf(pairs: readonly number[]): Runs {
  const runs = new Runs();
  runs.add(pairs);
  return runs;
}
