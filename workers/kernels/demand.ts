// What containers of controllers requested, used and cost, added up by their numbers: a record each.
// Sums in the order of the rows. A record is 20 f64; src/columnar/demand.ts mirrors it:
//
//   0    sums: hours, then for CPU and for RAM amount, requested and used x hours, cost, price x hours
//   88   largest usage of CPU, of RAM; NaN where none is known
//   104  1 where it is meant
//   112  of the run that ends last, of several the one that began last: its end, its start, its
//        requests of CPU and of RAM, the larger ones of those alike
//   144  its labels u32, its annotations u32
//   152  nothing

const RECORD: u32 = 160;
const HOUR_MS: f64 = 3600000;

// @ts-ignore: decorator
@inline function value(columns: u32, column: u32, row: u32): f64 {
  return load<f64>(load<u32>(columns + (column << 2)) + (row << 3));
}

// @ts-ignore: decorator
@inline function add(at: u32, by: f64): void { store<f64>(at, load<f64>(at) + by); }

/** Not where it is known to be as much; NaN is nothing known. */
// @ts-ignore: decorator
@inline function raise(at: u32, to: f64): void {
  const known = load<f64>(at);
  if (to > known || known != known) store<f64>(at, to);
}

/**
 * Adds runs of containers.
 * @param ids i32 a row, below 0 for those left out
 * @param columns addresses of one f64 a row: start and end, ms; then for CPU and for RAM amount,
 *   requested and used x hours, cost and its adjustment; then of u32: labels, annotations
 * @param meant bits of rows; or address 0: all
 */
export function addRuns(ids: u32, rows: u32, columns: u32, meant: u32, records: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const id = load<i32>(ids + (row << 2));
    if (id < 0) continue;
    const record = records + <u32>id * RECORD;
    const startMs = value(columns, 0, row);
    const endMs = value(columns, 1, row);
    const hours = (endMs - startMs) / HOUR_MS;
    add(record, hours);
    addResource(record + 8, columns + 8, row, hours);
    addResource(record + 48, columns + 28, row, hours);
    if (meant == 0 || (load<u32>(meant + ((row >>> 5) << 2)) >>> (row & 31) & 1) != 0) {
      store<f64>(record, 1, 104);
    }
    const perHour: f64 = hours > 0 ? 1 / hours : 0;
    takeLatest(
      record, startMs, endMs, value(columns, 3, row) * perHour, value(columns, 8, row) * perHour,
      load<u32>(load<u32>(columns, 48) + (row << 2)), load<u32>(load<u32>(columns, 52) + (row << 2)),
    );
  }
}

// @ts-ignore: decorator
@inline function addResource(sums: u32, columns: u32, row: u32, hours: f64): void {
  const amount = value(columns, 0, row);
  const cost = value(columns, 3, row) + value(columns, 4, row);
  add(sums, amount);
  add(sums + 8, value(columns, 1, row));
  add(sums + 16, value(columns, 2, row));
  add(sums + 24, cost);
  if (amount > 0) add(sums + 32, hours * cost / amount);
}

function takeLatest(
  record: u32, startMs: f64, endMs: f64, cpu: f64, ram: f64, labels: u32, annotations: u32,
): void {
  const end = load<f64>(record, 112);
  const start = load<f64>(record, 120);
  if (endMs < end || (endMs == end && startMs < start)) return;
  const isAlike = endMs == end && startMs == start;
  store<f64>(record, endMs, 112);
  store<f64>(record, startMs, 120);
  store<f64>(record, isAlike ? max(cpu, load<f64>(record, 128)) : cpu, 128);
  store<f64>(record, isAlike ? max(ram, load<f64>(record, 136)) : ram, 136);
  if (labels != 0) store<u32>(record, labels, 144);
  if (annotations != 0) store<u32>(record, annotations, 148);
}

/**
 * Raises the largest usage of a resource, at `place` of the record.
 * @param values f64 a row
 * @param counted u32 a row, and one more: a largest usage of 0 is known where these rise
 */
export function addLargest(
  ids: u32, rows: u32, values: u32, counted: u32, records: u32, place: u32,
): void {
  for (let row: u32 = 0; row < rows; row++) {
    const most = load<f64>(values + (row << 3));
    const isKnown = most > 0 || load<u32>(counted + (row << 2), 4) > load<u32>(counted + (row << 2));
    if (isKnown) raise(records + load<u32>(ids + (row << 2)) * RECORD + place, most);
  }
}

/** Adds records to those of their ids. @param texts u32 that stands for each label of theirs */
export function joinDemand(ids: u32, count: u32, from: u32, texts: u32, records: u32): void {
  for (let i: u32 = 0; i < count; i++, from += RECORD) {
    const record = records + load<u32>(ids + (i << 2)) * RECORD;
    for (let place: u32 = 0; place < 88; place += 8) add(record + place, load<f64>(from + place));
    for (let place: u32 = 88; place < 112; place += 8) raise(record + place, load<f64>(from + place));
    takeLatest(
      record, load<f64>(from, 120), load<f64>(from, 112), load<f64>(from, 128), load<f64>(from, 136),
      load<u32>(texts + (load<u32>(from, 144) << 2)), load<u32>(texts + (load<u32>(from, 148) << 2)),
    );
  }
}
