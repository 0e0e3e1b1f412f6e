/** Lays the tables of a meter (src/columnar/faces/meter.ts) into the arena by hand. */
import {
  IDENTITY,
  indexKeys,
  METER_ROW,
  RESOURCE_RUNS,
  SEGMENT,
  SEGMENT_BYTES,
  type Engine,
  type MeterTables,
  type Owner,
} from '../../../src/columnar/index.ts';
import { fillStruct, structAt } from '../../../src/columnar/memory/struct.ts';

/** (fromMs, value): the value holds from its time to the next run's; before the first, the first's. */
export type Runs = readonly (readonly [fromMs: number, value: number])[];

/** Runs of request and price of one resource. */
export interface Tariff {
  readonly request: Runs;
  readonly price: Runs;
  /** The node's, in units of the resource; infinite unless given. */
  readonly capacity?: number;
}

export interface TestSegment {
  readonly startMs: number;
  readonly endMs: number;
  /** When its counter stood at zero, not after its start; NaN unknown. */
  readonly zeroMs: number;
  /** The container whose rows it fills: 0, 1, … */
  readonly container: number;
  readonly cpu: Tariff;
  readonly ram: Tariff;
}

export interface TestIdentity {
  readonly key: readonly string[];
  /** By start, not overlapping. */
  readonly segments: readonly TestSegment[];
}

export interface TestLedger {
  readonly identities: readonly TestIdentity[];
  /** Set s is [setsMs[s], setsMs[s + 1]). */
  readonly setsMs: readonly number[];
}

export interface RowSums {
  readonly request: number;
  readonly requestCost: number;
  readonly excess: number;
  readonly excessCost: number;
  readonly usage: number;
  readonly usageMax: number;
}

/** One value a part; bytes where text cannot say it. */
export type Key = readonly (string | Uint8Array)[];

/** Keys as workers/kernels/meter/key-index.ts has them: each part followed by a zero byte. */
export function placeKeys(
  { arena }: Engine,
  owner: Owner,
  keys: readonly Key[],
): { keyOffsets: number; keyBytes: number } {
  const zero = Buffer.alloc(1);
  const texts = keys.map((key) =>
    Buffer.concat(
      key.flatMap((part) => [typeof part === 'string' ? Buffer.from(part) : part, zero]),
    ),
  );
  const all = Buffer.concat(texts);
  const keyBytes = arena.allocate(all.length, owner);
  arena.u8(keyBytes, all.length).set(all);
  const keyOffsets = arena.allocate(4 * (keys.length + 1), owner);
  let end = 0;
  arena.u32(keyOffsets, keys.length + 1).set([0, ...texts.map((text) => (end += text.length))]);
  return { keyOffsets, keyBytes };
}

export function containersOf(ledger: TestLedger): number {
  const containers = ledger.identities.flatMap(({ segments }) => segments.map((s) => s.container));
  return 1 + Math.max(-1, ...containers);
}

/** All tables of `ledger`; a container has a row in every set. */
export function placeLedger(engine: Engine, owner: Owner, ledger: TestLedger): MeterTables {
  const { arena } = engine;
  const runs: number[] = [];
  const setCount = ledger.setsMs.length - 1;
  const segments = ledger.identities.flatMap((identity) => identity.segments);
  const segmentsAt = arena.allocateZeroed(SEGMENT_BYTES * segments.length, owner);
  segments.forEach((segment, i) => {
    const at = segmentsAt + i * SEGMENT_BYTES;
    const set = Math.max(0, ledger.setsMs.slice(1).filter((ms) => ms <= segment.startMs).length);
    const { startMs, endMs, zeroMs } = segment;
    const row = segment.container * setCount + set;
    fillStruct(arena, at, SEGMENT, {
      startMs,
      endMs,
      row,
      set,
      zeroMs,
    });
    [segment.cpu, segment.ram].forEach(({ request, price, capacity = Infinity }, resource) => {
      const [firstRequest, requests] = placeRuns(runs, request);
      const [firstPrice, prices] = placeRuns(runs, price);
      const placed = { firstRequest, requests, firstPrice, prices, capacity };
      const runsAt = at + SEGMENT.bytes + RESOURCE_RUNS.bytes * resource;
      fillStruct(arena, runsAt, RESOURCE_RUNS, placed);
    });
  });
  const identities = arena.allocate(IDENTITY.bytes * ledger.identities.length, owner);
  let firstSegment = 0;
  ledger.identities.forEach(({ segments: { length } }, i) => {
    fillStruct(arena, identities + IDENTITY.bytes * i, IDENTITY, {
      firstSegment,
      segments: length,
      fewGapMs: 0,
    });
    firstSegment += length;
  });
  const keys = ledger.identities.map(({ key }) => key);
  const placed = placeKeys(engine, owner, keys);
  return {
    identities,
    identityCount: keys.length,
    segments: segmentsAt,
    runs: placeNumbers(engine, owner, runs),
    sets: placeNumbers(engine, owner, ledger.setsMs),
    setCount,
    ...placed,
    ...indexKeys(engine, owner, { ...placed, count: keys.length }),
  };
}

/** @returns the place of the first run, and their count */
function placeRuns(all: number[], runs: Runs): [first: number, count: number] {
  const first = all.length / 2;
  all.push(...runs.flat());
  return [first, runs.length];
}

function placeNumbers({ arena }: Engine, owner: Owner, numbers: readonly number[]): number {
  const at = arena.allocate(8 * numbers.length, owner);
  arena.f64(at, numbers.length).set(numbers);
  return at;
}

/** Zeroed rows for a meter. */
export function placeRows({ arena }: Engine, owner: Owner, ledger: TestLedger): number {
  return arena.allocateZeroed(
    METER_ROW.bytes * containersOf(ledger) * (ledger.setsMs.length - 1) || 1,
    owner,
  );
}

/** The rows' sums, by container, then set. */
export function readRows({ arena }: Engine, rows: number, ledger: TestLedger): RowSums[][] {
  const setCount = ledger.setsMs.length - 1;
  return Array.from({ length: containersOf(ledger) }, (_, container) =>
    Array.from({ length: setCount }, (__, set) => {
      const at = rows + METER_ROW.bytes * (container * setCount + set);
      const sums = structAt(arena, at, METER_ROW);
      const { request, requestCost, excess, excessCost, usage, usageMax } = sums;
      return { request, requestCost, excess, excessCost, usage, usageMax };
    }),
  );
}
