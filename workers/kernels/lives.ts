// What a set sees of lives, exactly or at the points of a grid, and what containers have of their pod.

/** Columns of members, one a row; then those of what ran. src/columnar/lives.ts mirrors it. */
@unmanaged
class Lives {
  /** u32: the first of its rows, its first set, and how many sets it has. */
  row: u32;
  firstSet: u32;
  sets: u32;
  /** u32: its first stretch, and how many it has. */
  stretch: u32;
  stretches: u32;
  /** u32: other than 0 where it is left out. */
  leftOut: u32;
  /** f64: how far off its stretches are, ms. */
  uncertainties: u32;
  /** Pairs of f64: [start, end) of each stretch, Unix ms, ascending for each member. */
  times: u32;
  /** u32: which member ran, and its row. */
  members: u32;
  rows: u32;
  /** f64: what the set saw, Unix ms; and the shortest and the longest life over what is billed. */
  starts: u32;
  ends: u32;
  least: u32;
  most: u32;
}

/**
 * Which members ran in a set, by the same steps as src/allocation/coverage.ts.
 * @param resolution 0 exact, else the distance of the grid's points, of which the first is `start`; ms
 * @returns how many did
 */
export function runningIn(
  table: u32, count: u32, set: u32, start: f64, end: f64, resolution: f64,
): u32 {
  const t = changetype<Lives>(<usize>table);
  let ran: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const place = set - load<u32>(t.firstSet + (i << 2));
    // Below the first set it wraps around.
    if (place >= load<u32>(t.sets + (i << 2)) || load<u32>(t.leftOut + (i << 2)) != 0) continue;
    const first = load<u32>(t.stretch + (i << 2));
    const from = t.times + (first << 4);
    const until = from + (load<u32>(t.stretches + (i << 2)) << 4);
    const uncertainty = load<f64>(t.uncertainties + (i << 3));
    if (!cover(t, ran, from, until, start, end, resolution, uncertainty)) continue;
    store<u32>(t.members + (ran << 2), i);
    store<u32>(t.rows + (ran << 2), load<u32>(t.row + (i << 2)) + place);
    ran++;
  }
  return ran;
}

/** Tells of what ran in stretches [from, until). @returns whether anything of it is seen */
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
  store<f64>(t.starts + place, seenFrom);
  store<f64>(t.ends + place, seenUntil);
  store<f64>(t.least + place, max<f64>(0, least - uncertainty) / covered);
  store<f64>(t.most + place, min<f64>(most + uncertainty, end - start) / covered);
  return true;
}

// @ts-ignore: decorator
@inline function onGrid(at: f64, start: f64, resolution: f64): f64 {
  return resolution == 0 ? at : start + ceil((at - start) / resolution) * resolution;
}

/** Columns of members, u32 each; then of what ran. src/columnar/lives.ts mirrors it. */
@unmanaged
class Pods {
  /** Its pod's place among pods, the first of the pod's rows, its first set, and how many it has. */
  place: u32;
  row: u32;
  firstSet: u32;
  sets: u32;
  /** u32 a pod, all zero: how many of its members ran. */
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
