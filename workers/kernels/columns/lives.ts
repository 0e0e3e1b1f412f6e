// The parts of lifetimes that a set sees, exactly or at the points of a grid, and shares of containers
// in their pods.

/** Columns of members, one a row; then columns of those that ran. */
@unmanaged
export class Lives {
  /** u32: the member's first row, its first set, and its number of sets. */
  row: u32;
  firstSet: u32;
  sets: u32;
  /** u32: the member's first stretch, and its number of stretches. */
  stretch: u32;
  stretches: u32;
  /** u32: not 0: the member is left out. */
  leftOut: u32;
  /** f64: uncertainty of its stretches, ms. */
  uncertaintiesMs: u32;
  /** Pairs of f64: [start, end) of each stretch, Unix ms, ascending for each member. */
  timesMs: u32;
  /** u32: which member ran, and its row. */
  members: u32;
  rows: u32;
  /** f64: start and end within the set, Unix ms; the shortest and longest possible life over the billed time. */
  startsMs: u32;
  endsMs: u32;
  least: u32;
  most: u32;
}

/**
 * Finds the members that ran in a set, by the same steps as src/allocation/inventory/coverage.ts.
 * @param resolution 0 exact, else the distance of the grid's points, of which the first is `start`; ms
 * @returns the number of members that ran
 */
export function runningIn(
  table: u32, count: u32, set: u32, start: f64, end: f64, resolution: f64,
): u32 {
  const t = changetype<Lives>(<usize>table);
  let ran: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const place = set - load<u32>(t.firstSet + (i << 2));
    // A set before the first one wraps around to a large number.
    if (place >= load<u32>(t.sets + (i << 2)) || load<u32>(t.leftOut + (i << 2)) != 0) continue;
    const first = load<u32>(t.stretch + (i << 2));
    const from = t.timesMs + (first << 4);
    const until = from + (load<u32>(t.stretches + (i << 2)) << 4);
    const uncertainty = load<f64>(t.uncertaintiesMs + (i << 3));
    if (!cover(t, ran, from, until, start, end, resolution, uncertainty)) continue;
    store<u32>(t.members + (ran << 2), i);
    store<u32>(t.rows + (ran << 2), load<u32>(t.row + (i << 2)) + place);
    ran++;
  }
  return ran;
}

/** Writes a member that ran in stretches [from, until). @returns whether the set sees any of it */
function cover(
  t: Lives, ran: u32, from: u32, until: u32, start: f64, end: f64, resolution: f64, uncertainty: f64,
): bool {
  let seenFrom: f64 = Infinity, seenUntil: f64 = -Infinity;
  let covered: f64 = 0, least: f64 = 0, most: f64 = 0;
  for (let at = from; at < until; at += 16) {
    const born = max<f64>(load<f64>(at), start), dead = min<f64>(load<f64>(at, 8), end);
    if (!(born < dead)) continue;
    const first = onGrid(born, start, resolution), after = onGrid(dead, start, resolution);
    if (!(first < after)) {
      most += dead - born;
      continue;
    }
    const cut = min<f64>(after, end);
    seenFrom = min<f64>(seenFrom, first);
    seenUntil = max<f64>(seenUntil, cut);
    covered += cut - first;
    least += after - resolution - first;
    most += cut - max<f64>(start, first - resolution);
  }
  if (!(seenFrom < seenUntil)) return false;
  const place = ran << 3;
  store<f64>(t.startsMs + place, seenFrom);
  store<f64>(t.endsMs + place, seenUntil);
  store<f64>(t.least + place, max<f64>(0, least - uncertainty) / covered);
  store<f64>(t.most + place, min<f64>(most + uncertainty, end - start) / covered);
  return true;
}

@inline function onGrid(at: f64, start: f64, resolution: f64): f64 {
  return resolution == 0 ? at : start + ceil((at - start) / resolution) * resolution;
}

/** Columns of members, u32 each; then of those that ran. */
@unmanaged
export class Pods {
  /** Index of the member's pod; the pod's first row, first set and number of sets. */
  place: u32;
  row: u32;
  firstSet: u32;
  sets: u32;
  /** u32 a pod, all zero: counts its members that ran. */
  containers: u32;
  members: u32;
  /** i32: the pod's row, -1 without one. */
  rows: u32;
  /** f64 */
  shares: u32;
}

/** Divides pods evenly among those of their members that ran in the set. */
export function sharePods(table: u32, ran: u32, set: u32): void {
  const t = changetype<Pods>(<usize>table);
  for (let i: u32 = 0; i < ran; i++) {
    const at = t.containers + (load<u32>(t.place + (load<u32>(t.members + (i << 2)) << 2)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  for (let i: u32 = 0; i < ran; i++) {
    const member = load<u32>(t.members + (i << 2)) << 2;
    const place = set - load<u32>(t.firstSet + member);
    const isThere = place < load<u32>(t.sets + member);
    store<i32>(t.rows + (i << 2), isThere ? load<u32>(t.row + member) + place : -1);
    const containers = load<u32>(t.containers + (load<u32>(t.place + member) << 2));
    store<f64>(t.shares + (i << 3), 1 / <f64>containers);
  }
}
