/** Lays the tables of a meter (src/columnar/meter.ts) into the arena by hand. */
import {
  indexKeys,
  ROW_BYTES,
  SEGMENT_BYTES,
  type Engine,
  type MeterTables,
  type Owner,
} from '../../src/columnar/index.ts';

/** (fromMs, value): the value holds from its time to the next run's; before the first, the first's. */
export type Runs = readonly (readonly [fromMs: number, value: number])[];

/** Runs of request and price of one resource. */
export interface Tariff {
  readonly request: Runs;
  readonly price: Runs;
}

export interface TestSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly startsAtZero: boolean;
  /** Whose rows it fills: 0, 1, … */
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

/** Keys as workers/kernels/key-index.ts has them: each part followed by a zero byte. */
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
    const refs = [segment.cpu, segment.ram].flatMap(({ request, price }) => [
      ...placeRuns(runs, request),
      ...placeRuns(runs, price),
    ]);
    arena.f64(at, 2).set([segment.startMs, segment.endMs]);
    const row = segment.container * setCount + set;
    arena.u32(at + 16, 12).set([row, set, segment.startsAtZero ? 1 : 0, 0, ...refs]);
  });
  let first = 0;
  const identities = ledger.identities.flatMap(({ segments: { length } }) => {
    first += length;
    return [first - length, length];
  });
  const keys = ledger.identities.map(({ key }) => key);
  const placed = placeKeys(engine, owner, keys);
  return {
    identities: placeWords(engine, owner, identities),
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

function placeWords({ arena }: Engine, owner: Owner, words: readonly number[]): number {
  const at = arena.allocate(4 * words.length, owner);
  arena.u32(at, words.length).set(words);
  return at;
}

function placeNumbers({ arena }: Engine, owner: Owner, numbers: readonly number[]): number {
  const at = arena.allocate(8 * numbers.length, owner);
  arena.f64(at, numbers.length).set(numbers);
  return at;
}

/** Zeroed rows for a meter. */
export function placeRows({ arena }: Engine, owner: Owner, ledger: TestLedger): number {
  return arena.allocateZeroed(
    ROW_BYTES * containersOf(ledger) * (ledger.setsMs.length - 1) || 1,
    owner,
  );
}

/** The rows' sums, by container, then set. */
export function readRows({ arena }: Engine, rows: number, ledger: TestLedger): RowSums[][] {
  const setCount = ledger.setsMs.length - 1;
  return Array.from({ length: containersOf(ledger) }, (_, container) =>
    Array.from({ length: setCount }, (__, set) => {
      const at = rows + ROW_BYTES * (container * setCount + set);
      const [request = 0, requestCost = 0, excess = 0, excessCost = 0, usage = 0, usageMax = 0] =
        arena.f64(at, 6);
      return { request, requestCost, excess, excessCost, usage, usageMax };
    }),
  );
}
