/** What rows cost that warnings are about, in each set of the ledger. */
import { METER_ROW, type Arena } from '../../columnar/index.ts';
import { HOUR_MS } from '../../query/index.ts';
import { bitOfConcern, CONCERNS, type Concern } from '../inventory/concerns.ts';
import type { SharedRequests } from './containers.ts';
import { bitOf, openMembers, SIZED_BIT } from './members.ts';

/** USD, a number for each set of the ledger. */
type BySet = readonly number[];

export interface ConcernedCosts {
  /** Without nodes, concerns about nodes are of what is on them. */
  readonly ofConcerns: Readonly<Partial<Record<Concern, BySet>>>;
  /** Containers that only usage names. */
  readonly ofUnmatched: BySet;
  /** Nodes that show no usage of containers, while others do: `cluster/node` in order. */
  readonly nodesWithoutUsage: readonly string[];
  /** What is on these nodes. */
  readonly withoutUsage: BySet;
}

export interface ConcernedInput {
  readonly pods: SharedRequests;
  /** Null: none. */
  readonly unmatched: SharedRequests | null;
  /** Null: they are not billed. */
  readonly nodes: SharedRequests | null;
  readonly sets: number;
}

/** Once, after all meters are finished. */
export function concernedCosts(
  arena: Arena,
  { pods, unmatched, nodes, sets }: ConcernedInput,
): ConcernedCosts {
  const bySet = (): number[] => Array.from({ length: sets }, () => 0);
  const ofConcerns: Partial<Record<Concern, number[]>> = {};
  for (const concern of CONCERNS) {
    const bit = bitOfConcern(concern);
    const of = nodes !== null && !OF_PODS.has(concern) ? nodes : pods;
    if (((pods.members.concerns | (nodes?.members.concerns ?? 0)) & bit) === 0) continue;
    const own = (ofConcerns[concern] = bySet());
    const bits = openMembers(arena, of.members).frame.u32('concerns');
    addCosts(arena, of, own, (member) => ((bits[member] ?? 0) & bit) !== 0);
  }
  const ofUnmatched = bySet();
  if (unmatched) addCosts(arena, unmatched, ofUnmatched, () => true);
  const nodesWithoutUsage = nodesUnused(arena, pods);
  const withoutUsage = bySet();
  if (nodesWithoutUsage.length > 0) {
    const unused = new Set(nodesWithoutUsage);
    const nodeOf = nodeReader(arena, pods);
    addCosts(arena, pods, withoutUsage, (member) => unused.has(nodeOf(member)));
  }
  return { ofConcerns, ofUnmatched, nodesWithoutUsage, withoutUsage };
}

const OF_PODS: ReadonlySet<Concern> = new Set(['outlived', 'relabelled', 'doubtedRequest']);
const RESOURCES = ['cpu', 'ram', 'gpu'] as const;
const { f64: FIELDS, bytes: ROW_BYTES } = METER_ROW;

function addCosts(
  arena: Arena,
  { rows, members }: SharedRequests,
  to: number[],
  isMeant: (member: number) => boolean,
): void {
  const { frame } = openMembers(arena, members);
  const [firsts, sets, counts] = [frame.u32('row'), frame.u32('firstSet'), frame.u32('sets')];
  const allocated = frame.u32('allocated');
  for (let i = 0; i < frame.rows; i++) {
    if (!isMeant(i)) continue;
    for (let k = 0; k < (counts[i] ?? 0); k++) {
      const set = (sets[i] ?? 0) + k;
      let usd = 0;
      for (const resource of RESOURCES) {
        const row = arena.f64(rows[resource] + ((firsts[i] ?? 0) + k) * ROW_BYTES, ROW_BYTES / 8);
        // As `fillMeasures`: usage beyond such a request is not charged.
        const isWhole = ((allocated[i] ?? 0) & (bitOf(resource) | SIZED_BIT)) !== 0;
        usd += row[FIELDS.requestCost / 8] ?? 0;
        if (resource !== 'gpu' && !isWhole) usd += row[FIELDS.excessCost / 8] ?? 0;
      }
      to[set] = (to[set] ?? 0) + usd / HOUR_MS;
    }
  }
}

/** The node of each member, as `cluster/node`. */
function nodeReader(arena: Arena, { members }: SharedRequests): (member: number) => string {
  const { frame, dictionary } = openMembers(arena, members);
  const [clusters, nodes] = [frame.u32('cluster'), frame.u32('node')];
  return (i) => `${dictionary.text(clusters[i] ?? 0)}/${dictionary.text(nodes[i] ?? 0)}`;
}

/** A shorter life may end before its first scrape. */
const SCRAPED_MS = 600_000;

/**
 * Nodes that show no usage of any container, as `cluster/node` in order, while others do: their kubelets
 * show the cgroups of pods only.
 */
function nodesUnused(arena: Arena, { rows, members }: SharedRequests): string[] {
  const { frame, dictionary, stretches } = openMembers(arena, members);
  const [clusters, nodes, places] = [frame.u32('cluster'), frame.u32('node'), frame.u32('stretch')];
  const [counts, firsts, sets] = [frame.u32('stretches'), frame.u32('row'), frame.u32('sets')];
  const mayHaveRun = frame.u32('mayHaveRun');
  const used = new Map<string, boolean>();
  for (let i = 0; i < frame.rows; i++) {
    if (mayHaveRun[i] === 1) continue;
    const node = dictionary.text(nodes[i] ?? 0);
    let livedMs = 0;
    for (let k = 0; k < (counts[i] ?? 0); k++) {
      const at = 2 * ((places[i] ?? 0) + k);
      livedMs += (stretches[at + 1] ?? 0) - (stretches[at] ?? 0);
    }
    if (node === '' || livedMs < SCRAPED_MS) continue;
    const key = `${dictionary.text(clusters[i] ?? 0)}/${node}`;
    const isUsed = (['cpu', 'ram'] as const).some((resource) =>
      hasUsage(arena, rows[resource] + (firsts[i] ?? 0) * ROW_BYTES, sets[i] ?? 0),
    );
    used.set(key, isUsed || used.get(key) === true);
  }
  const without = [...used].filter(([, isUsed]) => !isUsed).map(([key]) => key);
  return without.length === used.size ? [] : without.sort();
}

function hasUsage(arena: Arena, address: number, rows: number): boolean {
  for (let row = 0; row < rows; row++)
    if ((arena.f64(address + row * ROW_BYTES, ROW_BYTES / 8)[FIELDS.usage / 8] ?? 0) > 0)
      return true;
  return false;
}
