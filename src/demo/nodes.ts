/** Nodes of the demo fleet: places in a pool, and the machines that stand there in turn. */
import { type NodePool, POOLS } from './pools.ts';
import { livesBetween, type Replaced, type Span } from './changes.ts';
import { hashText, hexText, mix } from './hash.ts';

/** One of a pool's places. Only spot machines are ever replaced. */
export interface NodePlace {
  readonly pool: NodePool;
  readonly index: number;
  readonly key: number;
  readonly replaced: Replaced | undefined;
  /** Machines that were made, by their start: every series of a pod asks for the one it is on. */
  readonly made: Map<number, DemoNode>;
}

export interface DemoNode extends Span {
  readonly pool: NodePool;
  readonly name: string;
  readonly ip: string;
  readonly providerId: string;
  readonly uuid: string;
}

const ALWAYS: Span = { startMs: -Infinity, endMs: Infinity };
const SPOT_REPLACEMENTS_PER_DAY = 0.5;

export function nodePlaces(seed: number): readonly NodePlace[] {
  return POOLS.flatMap((pool) =>
    Array.from({ length: pool.nodes }, (_, index) => {
      const key = hashText(`${pool.cluster}/${pool.name}/${index}`, seed);
      const replaced = pool.isSpot ? { key, perDay: SPOT_REPLACEMENTS_PER_DAY } : undefined;
      return { pool, index, key, replaced, made: new Map<number, DemoNode>() };
    }),
  );
}

/** The machines at `place` during `range`, in order. */
export function* nodesAt(place: NodePlace, range: Span): Generator<DemoNode, void> {
  const lives = place.replaced ? livesBetween([place.replaced], range) : [ALWAYS];
  for (const life of lives) yield machine(place, life);
}

/** The machine at `place` at one moment. */
export function nodeAt(place: NodePlace, atMs: number): DemoNode {
  for (const node of nodesAt(place, { startMs: atMs, endMs: atMs + 1 })) return node;
  throw new Error('BUG: no machine stands at a place');
}

function machine(place: NodePlace, life: Span): DemoNode {
  const node = place.made.get(life.startMs) ?? newMachine(place, life);
  place.made.set(life.startMs, node);
  return node;
}

function newMachine({ pool, index, key }: NodePlace, life: Span): DemoNode {
  const born = Number.isFinite(life.startMs) ? mix(key, life.startMs / 1000) : key;
  const host = 4 + ((index * 41 + (born % 37)) % 250);
  const ip = `10.0.${POOLS.indexOf(pool)}.${host}`;
  return { ...life, pool, ip, uuid: hexText(born ^ 1, 32), ...cloudNames(pool, ip, born) };
}

/** As the clouds name their machines. */
function cloudNames(
  pool: NodePool,
  ip: string,
  born: number,
): Pick<DemoNode, 'name' | 'providerId'> {
  const id = hexText(born, 17);
  if (pool.region === 'us-east-1') {
    const name = `ip-${ip.replaceAll('.', '-')}.${pool.region}.compute.internal`;
    return { name, providerId: `aws:///${pool.region}a/i-0${id.slice(1)}` };
  }
  const name = `gke-${pool.cluster}-${pool.name}-${id.slice(0, 8)}-${id.slice(8, 12)}`;
  return { name, providerId: `gce://prorata-demo/${pool.region}-b/${name}` };
}
