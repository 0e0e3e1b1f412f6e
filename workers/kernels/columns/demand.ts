// Demand of containers of controllers: requests, usage and cost, added up in a record for each number.
// Sums are in the order of the rows.

/** Sums and largest values; unit x hours, USD. Largest usage is NaN where none is known. */
@unmanaged
export class DemandRecord {
  hours: f64;
  cpuAmount: f64;
  cpuRequest: f64;
  cpuUsage: f64;
  cpuCost: f64;
  cpuPriceHours: f64;
  ramAmount: f64;
  ramRequest: f64;
  ramUsage: f64;
  ramCost: f64;
  ramPriceHours: f64;
  gpuAmount: f64;
  gpuRequest: f64;
  gpuUsage: f64;
  gpuCost: f64;
  gpuPriceHours: f64;
  cpuLargest: f64;
  ramLargest: f64;
  /** the largest average of a run */
  gpuLargest: f64;
  /** 1: some row of it is selected */
  isSelected: f64;
  /** of the run that ends last, if several do of the one that began last; of equal runs the larger requests */
  latestEndMs: f64;
  latestStartMs: f64;
  cpuLatest: f64;
  ramLatest: f64;
  gpuLatest: f64;
  /** codes */
  labels: u32;
  annotations: u32;
  unused: f64;
}
const RECORD: u32 = <u32>offsetof<DemandRecord>();
const CPU: u32 = <u32>offsetof<DemandRecord>("cpuAmount");
const RAM: u32 = <u32>offsetof<DemandRecord>("ramAmount");
const GPU: u32 = <u32>offsetof<DemandRecord>("gpuAmount");
/** Sums come first, then maxima. */
const SUMS_END: u32 = <u32>offsetof<DemandRecord>("cpuLargest");
const GPU_LARGEST: u32 = <u32>offsetof<DemandRecord>("gpuLargest");
const RAISED_END: u32 = <u32>offsetof<DemandRecord>("latestEndMs");
const HOUR_MS: f64 = 3600000;

/** Addresses of columns of runs: one f64 a row, ms and unit x hours, then one u32 code. */
@unmanaged
export class DemandColumns {
  startMs: u32;
  endMs: u32;
  cpuCoreHours: u32;
  cpuCoreRequestHours: u32;
  cpuCoreUsageHours: u32;
  cpuCost: u32;
  cpuCostAdjustment: u32;
  ramByteHours: u32;
  ramByteRequestHours: u32;
  ramByteUsageHours: u32;
  ramCost: u32;
  ramCostAdjustment: u32;
  gpuHours: u32;
  gpuRequestHours: u32;
  gpuUsageHours: u32;
  gpuCost: u32;
  gpuCostAdjustment: u32;
  labels: u32;
  annotations: u32;
}

@inline function value(column: u32, row: u32): f64 { return load<f64>(column + (row << 3)); }

@inline function recordAt(records: u32, id: u32): DemandRecord {
  return changetype<DemandRecord>(<usize>(records + id * RECORD));
}

@inline function add(at: u32, by: f64): void { store<f64>(at, load<f64>(at) + by); }

/** Raises the field to at least `to`; NaN is the lowest. */
@inline function raise(at: u32, to: f64): void {
  const known = load<f64>(at);
  if (to > known || known != known) store<f64>(at, to);
}

/**
 * Adds runs of containers.
 * @param ids i32 a row, below 0 for those left out
 * @param selected bits of rows; or address 0: all
 */
export function addRuns(ids: u32, rows: u32, columns: DemandColumns, selected: u32, records: u32): void {
  for (let row: u32 = 0; row < rows; row++) {
    const id = load<i32>(ids + (row << 2));
    if (id < 0) continue;
    const record = recordAt(records, <u32>id);
    const startMs = value(columns.startMs, row);
    const endMs = value(columns.endMs, row);
    const hours = (endMs - startMs) / HOUR_MS;
    record.hours += hours;
    const sums = changetype<usize>(record) as u32;
    addResource(
      sums + CPU, hours, value(columns.cpuCoreHours, row), value(columns.cpuCoreRequestHours, row),
      value(columns.cpuCoreUsageHours, row),
      value(columns.cpuCost, row) + value(columns.cpuCostAdjustment, row),
    );
    addResource(
      sums + RAM, hours, value(columns.ramByteHours, row), value(columns.ramByteRequestHours, row),
      value(columns.ramByteUsageHours, row),
      value(columns.ramCost, row) + value(columns.ramCostAdjustment, row),
    );
    const gpuUsage = value(columns.gpuUsageHours, row);
    addResource(
      sums + GPU, hours, value(columns.gpuHours, row), value(columns.gpuRequestHours, row), gpuUsage,
      value(columns.gpuCost, row) + value(columns.gpuCostAdjustment, row),
    );
    if (gpuUsage > 0 && hours > 0) raise(sums + GPU_LARGEST, gpuUsage / hours);
    if (selected == 0 || (load<u32>(selected + ((row >>> 5) << 2)) >>> (row & 31) & 1) != 0) record.isSelected = 1;
    const perHour: f64 = hours > 0 ? 1 / hours : 0;
    takeLatest(
      record, startMs, endMs, value(columns.cpuCoreRequestHours, row) * perHour,
      value(columns.ramByteRequestHours, row) * perHour, value(columns.gpuRequestHours, row) * perHour,
      load<u32>(columns.labels + (row << 2)), load<u32>(columns.annotations + (row << 2)),
    );
  }
}

/** @param sums amount, request, usage, cost and price x hours, as they follow each other in a record */
@inline function addResource(
  sums: u32, hours: f64, amount: f64, request: f64, usage: f64, cost: f64,
): void {
  add(sums, amount);
  add(sums + 8, request);
  add(sums + 16, usage);
  add(sums + 24, cost);
  if (amount > 0) add(sums + 32, hours * cost / amount);
}

function takeLatest(
  record: DemandRecord, startMs: f64, endMs: f64, cpu: f64, ram: f64, gpu: f64, labels: u32,
  annotations: u32,
): void {
  const end = record.latestEndMs;
  const start = record.latestStartMs;
  if (endMs < end || (endMs == end && startMs < start)) return;
  const isSameRun = endMs == end && startMs == start;
  record.latestEndMs = endMs;
  record.latestStartMs = startMs;
  record.cpuLatest = isSameRun ? max(cpu, record.cpuLatest) : cpu;
  record.ramLatest = isSameRun ? max(ram, record.ramLatest) : ram;
  record.gpuLatest = isSameRun ? max(gpu, record.gpuLatest) : gpu;
  if (labels != 0) record.labels = labels;
  if (annotations != 0) record.annotations = annotations;
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
    const id = load<u32>(ids + (i << 2));
    const record = records + id * RECORD;
    for (let place: u32 = 0; place < SUMS_END; place += 8) add(record + place, load<f64>(from + place));
    for (let place = SUMS_END; place < RAISED_END; place += 8) raise(record + place, load<f64>(from + place));
    const other = changetype<DemandRecord>(<usize>from);
    takeLatest(
      recordAt(records, id), other.latestStartMs, other.latestEndMs, other.cpuLatest, other.ramLatest,
      other.gpuLatest,
      load<u32>(texts + (other.labels << 2)), load<u32>(texts + (other.annotations << 2)),
    );
  }
}
