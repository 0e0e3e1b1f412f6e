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
  /** f64: how much earlier the first stretch can have begun; how far off the end of the last can be; ms. */
  startUncertaintiesMs: u32;
  endUncertaintiesMs: u32;
  /** f64: how far off both ends of a gap can be, ms. */
  gapUncertaintiesMs: u32;
  /** Pairs of f64: [start, end) of each stretch, Unix ms, ascending for each member. */
  timesMs: u32;
  /** u32: which member ran, and its row. */
  members: u32;
  rows: u32;
  /** f64: start and end within the set, Unix ms. */
  startsMs: u32;
  endsMs: u32;
  /** f64: the billed time over the life in the set; of those that no point saw 1, 0 if they only may have run. */
  scale: u32;
  /** f64: by how much the life can be shorter or longer, ms. */
  lessMs: u32;
  moreMs: u32;
}

/**
 * Finds the members that ran in a set, by the same steps as src/allocation/inventory/coverage.ts.
 * @param resolution 0 exact, else the distance of the grid's points, of which the first is `start`; ms
 * @param isUnseen 1: finds those that ran or may have run, but that no point saw; the row of a member that
 * may have run is that of its nearest set
 * @returns the number of members found
 */
export function runningIn(
  table: u32, count: u32, set: u32, start: f64, end: f64, resolution: f64, isUnseen: u32,
): u32 {
  const t = changetype<Lives>(<usize>table);
  let ran: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const place = set - load<u32>(t.firstSet + (i << 2));
    const sets = load<u32>(t.sets + (i << 2));
    // A set before the first one wraps around to a large number.
    if ((place >= sets && isUnseen == 0) || sets == 0 || load<u32>(t.leftOut + (i << 2)) != 0) continue;
    const first = load<u32>(t.stretch + (i << 2));
    const from = t.timesMs + (first << 4);
    const until = from + (load<u32>(t.stretches + (i << 2)) << 4);
    const startUncertainty = load<f64>(t.startUncertaintiesMs + (i << 3));
    const endUncertainty = load<f64>(t.endUncertaintiesMs + (i << 3));
    if (from == until || !cover(t, ran, from, until, start, end, resolution, isUnseen)) continue;
    const gapUncertainty = load<f64>(t.gapUncertaintiesMs + (i << 3));
    doubt(t, ran, from, until, start, end, startUncertainty, endUncertainty, gapUncertainty);
    if (load<f64>(t.scale + (ran << 3)) == 0 && load<f64>(t.moreMs + (ran << 3)) == 0) continue;
    const nearest = place < sets ? place : <i32>place < 0 ? 0 : sets - 1;
    store<u32>(t.members + (ran << 2), i);
    store<u32>(t.rows + (ran << 2), load<u32>(t.row + (i << 2)) + nearest);
    ran++;
  }
  return ran;
}

/** Writes a member that ran in stretches [from, until). @returns whether it is one of those looked for */
function cover(
  t: Lives, ran: u32, from: u32, until: u32, start: f64, end: f64, resolution: f64, isUnseen: u32,
): bool {
  let seenFrom: f64 = Infinity, seenUntil: f64 = -Infinity;
  let lived: f64 = 0, covered: f64 = 0;
  let livedFrom: f64 = Infinity, livedUntil: f64 = -Infinity;
  for (let at = from; at < until; at += 16) {
    const born = max<f64>(load<f64>(at), start), dead = min<f64>(load<f64>(at, 8), end);
    if (!(born < dead)) continue;
    lived += dead - born;
    livedFrom = min<f64>(livedFrom, born);
    livedUntil = max<f64>(livedUntil, dead);
    const first = onGrid(born, start, resolution), after = onGrid(dead, start, resolution);
    if (!(first < after)) continue;
    const cut = min<f64>(after, end);
    seenFrom = min<f64>(seenFrom, first);
    seenUntil = max<f64>(seenUntil, cut);
    covered += cut - first;
  }
  if (seenFrom < seenUntil == (isUnseen != 0)) return false;
  const place = ran << 3;
  if (isUnseen != 0) {
    const hasLived = lived > 0;
    store<f64>(t.startsMs + place, hasLived ? livedFrom : within(load<f64>(from), start, end));
    store<f64>(t.endsMs + place, hasLived ? livedUntil : within(load<f64>(until - 16, 8), start, end));
    store<f64>(t.scale + place, hasLived ? 1 : 0);
    return true;
  }
  store<f64>(t.startsMs + place, seenFrom);
  store<f64>(t.endsMs + place, seenUntil);
  store<f64>(t.scale + place, covered / lived);
  return true;
}

/** Writes by how much the life in the set can be shorter or longer: at its ends, and between its stretches. */
function doubt(
  t: Lives, ran: u32, from: u32, until: u32, start: f64, end: f64,
  startUncertainty: f64, endUncertainty: f64, gapUncertainty: f64,
): void {
  const born = load<f64>(from), dead = load<f64>(until - 16, 8);
  const bornIn = within(born, start, end), deadIn = within(dead, start, end);
  let more = bornIn - within(born - startUncertainty, start, end);
  more += within(dead + endUncertainty, start, end) - deadIn;
  let less = deadIn - within(dead - endUncertainty, start, end);
  for (let at = from; at < until - 16; at += 16) {
    const goneAt = load<f64>(at, 8), gone = within(goneAt, start, end);
    const backAt = load<f64>(at, 16), back = within(backAt, start, end);
    less += gone - within(max<f64>(load<f64>(at), goneAt - gapUncertainty), start, end);
    less += within(min<f64>(backAt + gapUncertainty, load<f64>(at, 24)), start, end) - back;
    more += back - gone;
  }
  const place = ran << 3;
  store<f64>(t.lessMs + place, less);
  store<f64>(t.moreMs + place, more);
}

@inline function within(at: f64, start: f64, end: f64): f64 {
  return min<f64>(max<f64>(at, start), end);
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
