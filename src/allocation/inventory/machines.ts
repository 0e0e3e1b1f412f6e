/**
 * Machines that had the name of one node, one after another: clouds reuse addresses, and with them
 * the names of nodes. Each machine has its type, place, pool, price and bill.
 *
 *   provider_id, system_uuid   another one is another machine
 *   kube_node_created          where neither is known, another creation time is another machine
 *   instance type              another one is priced on its own, also of a machine that was resized
 *
 * Series that contradict each other at the same time do not show two machines.
 */
import { higherVersion } from '../../pricing/index.ts';
import type { Inventory } from './inventory.ts';
import type { NodeFacts, NodeSighting, NodeTraits } from './nodes-and-volumes.ts';
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

/** Splits nodes whose name several machines had. Called once, after all facts on nodes are read. */
export function settleMachines({ nodes, machines, options: { gapMs } }: Inventory): void {
  for (const [key, node] of nodes) {
    const births = birthsOf(node, gapMs);
    if (births.length === 0) continue;
    const all = split(node, births, gapMs);
    machines.set(key, all);
    nodes.set(key, all.at(-1) ?? node);
  }
}

/** When the name became another machine's. Unix ms */
interface Birth {
  /** The last sample that shows the machine before. */
  readonly untilMs: number;
  /** The first sample that shows the machine. */
  readonly seenMs: number;
}

function birthsOf({ sightings, createdSeconds }: NodeFacts, gapMs: number): Birth[] {
  const idOf = ({ traits }: NodeSighting): string => traits.providerId || traits.systemUuid;
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
