/** Recommendations against a plain loop over raw samples, for fleets at random. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileKernels, createEngine, writeRows } from '../../src/columnar/index.ts';
import { recommend } from '../../src/request-sizing/recommend/recommend-task.ts';
import {
  ALGORITHMS,
  columnOf,
  type Algorithm,
  type Sizing,
} from '../../src/request-sizing/recommend/sizing-rules.ts';
import { joinDemand, sumDemand } from '../../src/request-sizing/demand/demand-tasks.ts';
import type { DemandAt } from '../../src/request-sizing/demand/demand-at.ts';
import { createMemorySets, SetReader } from '../../src/storage/index.ts';
import { dirtyMemory } from '../support/references/dirty-memory.ts';
import { hoursOf, sizedSets, type Ran, type SizedSpan } from '../support/stores/sizing-sets.ts';
import { DAY_MS, dayKey, FIRST_MS } from '../support/stores/stored-sets.ts';

const engine = createEngine(compileKernels(), dirtyMemory(256 << 20), 1);
const { arena } = engine;
const [SETS, SCRATCH, KEEPER] = [3, 4, 5];
const MIB = 2 ** 20;

const cores = fc.oneof(fc.constant(0), fc.double({ min: 0.001, max: 64, noNaN: true }));
const bytes = fc.integer({ min: 1, max: 64 }).map((n) => n * MIB);
const container = fc.record({
  controller: fc.constantFrom('a', 'b', 'ä'),
  namespace: fc.constantFrom('web', 'data'),
  cpuRequest: fc.constantFrom(0, 0.5, 2),
  ramRequest: fc.constantFrom(0, 512 * MIB),
  cpuUsed: fc.array(cores, { maxLength: 7 }),
  ramUsed: fc.array(bytes, { maxLength: 7 }),
});
const fleet = fc.array(fc.array(container, { maxLength: 6 }), { minLength: 1, maxLength: 5 });
type Fleet = readonly (readonly Omit<Ran, 'pod' | 'startMs' | 'endMs'>[])[];

function spansOf(days: Fleet): SizedSpan[] {
  return days.map((rows, day): SizedSpan => {
    const startMs = FIRST_MS + day * DAY_MS;
    const ran = rows.map((row, i): Ran => ({
      ...row,
      pod: `p${i}`,
      startMs,
      endMs: startMs + DAY_MS,
      usdPerCoreHour: 0.04,
    }));
    return { startMs, endMs: startMs + DAY_MS, ran };
  });
}

const ruleOf = (algorithm: Algorithm, q: number, targetUtilization: number): Sizing['cpu'] => ({
  algorithm,
  q,
  targetUtilization,
  floor: 0,
});
const sizingOf = (cpu: Sizing['cpu']): Sizing => ({
  cpu,
  ram: cpu,
  gpuTargetUtilization: 1,
  savings: 'byRun',
  sortBy: 'cpuRecommended',
  isAscending: false,
  offset: 0,
  limit: null,
});

interface Written {
  readonly namespace: string;
  readonly controllerName: string;
  readonly normalizedRecommendedRequest: { cpuInMilliCores: number; memoryInMiB: number };
  readonly monthlySavings: { cpu: number };
}

/** Recommended millicores and MiB, and what it saves, by namespace and controller. */
type Found = Map<string, readonly [cpu: number, ram: number, usd: number]>;

/** @param parts how many sets each part has */
async function found(
  days: Fleet,
  sizing: Sizing,
  parts: number,
  isReversed = false,
): Promise<Found> {
  const sets = createMemorySets({ arena, owner: SETS });
  const reader = new SetReader(arena);
  await sets.write(await sizedSets(engine, spansOf(days)));
  try {
    const columns = [columnOf(sizing.cpu, 'cpu'), columnOf(sizing.ram, 'ram')].filter(
      (name) => name !== null,
    );
    const places = days.map((_, day) => day);
    if (isReversed) places.reverse();
    const demands: DemandAt[] = [];
    for (let first = 0; first < places.length; first += parts) {
      const [allocations, usage] = ['allocations', 'usage'].map((kind) =>
        places.slice(first, first + parts).flatMap((day) => sets.locate(dayKey(day, kind)) ?? []),
      );
      const input = { columns, filter: null, isLabelled: false, owner: SCRATCH, keeper: KEEPER };
      const part = sumDemand(engine, reader, {
        allocations: allocations ?? [],
        usage: usage ?? [],
        ...input,
      });
      assert.deepEqual(part.damaged, []);
      demands.push(part.demand);
    }
    const demand = joinDemand(engine, { parts: demands, owner: SCRATCH, keeper: KEEPER });
    const recommended = recommend(engine, {
      demand,
      sizing,
      filter: null,
      isFiltered: false,
      dataHours: [['one', 24 * days.length]],
      forms: ['recommendations'],
      isLabelled: false,
      owner: SCRATCH,
      keeper: KEEPER,
    });
    assert.equal(recommended.count, recommended.rows);
    const slot = { address: arena.allocate(MIB, SCRATCH), bytes: MIB };
    const rows = { from: 0, to: recommended.rows };
    const { bytes: written } = writeRows(
      engine,
      recommended.forms.recommendations ?? 0,
      rows,
      slot,
    );
    const list = JSON.parse(
      `[${Buffer.from(arena.u8(slot.address, written)).toString()}]`,
    ) as Written[];
    return new Map(
      list.map((row) => [
        `${row.namespace}/${row.controllerName}`,
        [
          row.normalizedRecommendedRequest.cpuInMilliCores,
          row.normalizedRecommendedRequest.memoryInMiB,
          row.monthlySavings.cpu,
        ],
      ]),
    );
  } finally {
    await sets.close();
    for (const owner of [SETS, SCRATCH, KEEPER]) arena.release(owner);
  }
}

const VALUES: Readonly<Record<Algorithm, (samples: readonly number[]) => number[]>> = {
  max: (samples) => [...samples],
  quantile: (samples) => [...samples],
  quantileOfAverages: (samples) =>
    hoursOf(samples).map((hour) => hour.reduce((sum, value) => sum + value, 0) / hour.length),
  quantileOfMaxes: (samples) => hoursOf(samples).map((hour) => Math.max(...hour)),
};

/** By container, of the request that it got: only what costs something saves. */
function savingsOf(days: Fleet, key: string, millicores: number): number {
  const rows = days.flat().filter((row) => `${row.namespace}/${row.controller}` === key);
  const perCore = rows.filter(({ cpuRequest }) => cpuRequest > 0);
  const cores = perCore.reduce((sum, row) => sum + row.cpuRequest - millicores / 1000, 0);
  return (cores * 24 * 0.04 * 730) / (24 * days.length);
}

/** From the samples themselves. */
function expected(days: Fleet, algorithm: Algorithm, q: number): Map<string, [number, number]> {
  const groups = new Map<string, { cpu: number[]; ram: number[] }>();
  for (const row of days.flat()) {
    const key = `${row.namespace}/${row.controller}`;
    const group = groups.get(key) ?? { cpu: [], ram: [] };
    group.cpu.push(...VALUES[algorithm](row.cpuUsed));
    group.ram.push(...VALUES[algorithm](row.ramUsed));
    groups.set(key, group);
  }
  const at = (values: readonly number[]): number => {
    const sorted = values.toSorted((a, b) => a - b);
    return (
      sorted[algorithm === 'max' ? sorted.length - 1 : Math.floor(q * (sorted.length - 1))] ?? NaN
    );
  };
  const known = [...groups].filter(([, { cpu, ram }]) => cpu.length > 0 && ram.length > 0);
  return new Map(known.map(([key, { cpu, ram }]) => [key, [at(cpu), at(ram)]]));
}

const algorithm = fc.constantFrom(...(Object.keys(ALGORITHMS) as Algorithm[]));
const quantile = fc.constantFrom(0.01, 0.5, 0.8, 0.95, 1);

test('recommendations are within 1 % of raw samples, for containers with usage only', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, algorithm, quantile, async (days, name, q) => {
      const actual = await found(days, sizingOf(ruleOf(name, q, 0.8)), 2);
      const reference = expected(days, name, q);
      assert.deepEqual([...actual.keys()].toSorted(), [...reference.keys()].toSorted());
      for (const [key, [cpu, ram]] of reference) {
        const [millicores = NaN, mib = NaN, usd = NaN] = actual.get(key) ?? [];
        const exactUsd = savingsOf(days, key, millicores);
        assert.ok(Math.abs(usd - exactUsd) <= 1e-9 * (1 + Math.abs(exactUsd)), `${key}: ${usd}`);
        const share = name === 'max' ? 1e-9 : 0.0101;
        for (const [is, exact] of [
          [millicores, (1000 * cpu) / 0.8],
          [mib, ram / MIB / 0.8],
        ] as const) {
          // prettier-ignore
          assert.ok(is >= exact * (1 - share) && is <= exact * (1 + share) + 1, `${key}: ${is}, not ${exact}`);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('neither the order of sets nor how they are cut into parts changes anything', async () => {
  const close = (one: Found, other: Found): void => {
    assert.deepEqual([...one.keys()].toSorted(), [...other.keys()].toSorted());
    for (const [key, [cpu, ram, usd]] of one) {
      const [otherCpu, otherRam, otherUsd = NaN] = other.get(key) ?? [];
      assert.deepEqual([cpu, ram], [otherCpu, otherRam]);
      assert.ok(Math.abs(usd - otherUsd) <= 1e-9 * (1 + Math.abs(usd)), `${key}: ${usd}`);
    }
  };
  await fc.assert(
    fc.asyncProperty(fleet, algorithm, async (days, name) => {
      const sizing = sizingOf(ruleOf(name, 0.9, 0.65));
      const whole = await found(days, sizing, 100);
      close(await found(days, sizing, 1), whole);
      close(await found(days, sizing, 2, true), whole);
    }),
    { numRuns: 30 },
  );
});

test('high availability gets no less than production, production no less than development', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, algorithm, async (days, name) => {
      const at = (target: number): Promise<Found> =>
        found(days, sizingOf(ruleOf(name, 0.8, target)), 3);
      const [high, production, development] = [await at(0.5), await at(0.65), await at(0.8)];
      for (const [key, [cpu, ram]] of production) {
        assert.ok((high.get(key)?.[0] ?? NaN) >= cpu && (high.get(key)?.[1] ?? NaN) >= ram, key);
        assert.ok(
          cpu >= (development.get(key)?.[0] ?? NaN) && ram >= (development.get(key)?.[1] ?? NaN),
          key,
        );
      }
    }),
    { numRuns: 20 },
  );
});

test('the largest usage asks for no less than any quantile, but for the error of a sketch', async () => {
  await fc.assert(
    fc.asyncProperty(fleet, algorithm, quantile, async (days, name, q) => {
      const largest = await found(days, sizingOf(ruleOf('max', 1, 0.7)), 3);
      const quantiles = await found(days, sizingOf(ruleOf(name, q, 0.7)), 3);
      for (const [key, [cpu, ram]] of quantiles) {
        const [cpuMax = NaN, ramMax = NaN] = largest.get(key) ?? [];
        assert.ok(
          cpu <= cpuMax * 1.01 + 1 && ram <= ramMax * 1.01 + 1,
          `${key}: ${cpu}, ${cpuMax}`,
        );
      }
    }),
    { numRuns: 30 },
  );
});

test('the hours of a cluster are those in which containers ran, not those of volumes', async () => {
  const sets = createMemorySets({ arena, owner: SETS });
  const [startMs, endMs] = [FIRST_MS, FIRST_MS + DAY_MS];
  const row = { controller: 'a', pod: 'p', cpuRequest: 1, cpuUsed: [1], ramUsed: [] };
  const ran: Ran[] = [
    { ...row, startMs: startMs + 3_600_000, endMs: startMs + 7_200_000 },
    { ...row, container: '__unmounted__', controller: '', startMs, endMs },
  ];
  await sets.write(await sizedSets(engine, [{ startMs, endMs, ran }]));
  const [allocations, usage] = ['allocations', 'usage'].map((kind) => sets.locate(dayKey(0, kind)));
  assert.ok(allocations && usage);
  try {
    const input = { columns: [], filter: null, isLabelled: false, owner: SCRATCH, keeper: KEEPER };
    const { demand } = sumDemand(engine, new SetReader(arena), {
      allocations: [allocations],
      usage: [usage],
      ...input,
    });
    const expected = { cluster: 'one', startMs: startMs + 3_600_000, endMs: startMs + 7_200_000 };
    assert.deepEqual(demand.clusters, [expected]);
  } finally {
    for (const owner of [SCRATCH, KEEPER, SETS]) arena.release(owner);
  }
});
