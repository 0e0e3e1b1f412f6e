/** Saved answers of /model/allocation as tables: peers' payloads, our own, and broken ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readSavedAnswers, type SavedSet } from '../../../src/allocation/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { aggregate } from '../../support/references/plain-query.ts';
import type { RowOptions } from '../../../src/allocation/params/format.ts';
import { MEASURES } from '../../../src/allocation/row/schema.ts';
import { compileKernels, createEngine, type Table } from '../../../src/columnar/index.ts';
import { Fault } from '../../../src/query/index.ts';
import { jsonMembers } from '../../support/references/row-reference.ts';
import { anyDay, tableOf } from '../../support/stores/set-days.ts';

const [OWNER, TASK] = [1, 2];
const engine = createEngine(compileKernels(), dirtyMemory(64 << 20), OWNER);
const HOUR_MS = 3_600_000;

async function* cut(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) {
    await Promise.resolve();
    yield all.subarray(at, at + bytes);
  }
}

async function read(text: string, bytes: number = 1 << 20): Promise<SavedSet[]> {
  const sets: SavedSet[] = [];
  for await (const set of readSavedAnswers(cut(text, bytes), 'day.json')) sets.push(set);
  return sets;
}

type Values = Readonly<Record<string, string | number>>;

function rowsOf(table: Table | undefined): Values[] {
  assert.ok(table, 'a set');
  const names = ['cluster', 'node', 'namespace', 'pod', 'container', 'controller', 'labels', 'annotations', 'services', 'pvs', 'lbAllocations', 'providerID', 'endSource']; // prettier-ignore
  return Array.from({ length: table.rows }, (_, row) => {
    const texts = names.map((name): [string, string] => {
      const column = table.text(name);
      return [name, column?.texts.text(column.codes[row] ?? 0) ?? ''];
    });
    const numbers = ['startMs', 'endMs', ...MEASURES.map(({ column }) => column)].map(
      (name): [string, number] => [name, table.numbers(name)?.values[row] ?? 0],
    );
    return Object.fromEntries(
      [...texts, ...numbers].filter(([, value]) => value !== '' && value !== 0),
    );
  });
}

async function rows(text: string): Promise<Values[]> {
  const sets = await read(text);
  assert.equal(sets.length, 1);
  const values = rowsOf(sets[0]?.table(engine.arena, TASK));
  engine.arena.release(TASK);
  return values;
}

const DAY = {
  window: { start: '1970-01-01T00:00:00Z', end: '1970-01-02T00:00:00Z' },
  start: '1970-01-01T06:00:00Z',
  end: '1970-01-01T18:00:00Z',
};
const answer = (...sets: readonly unknown[]): string => JSON.stringify({ code: 200, data: sets });
const TIMES = { startMs: 6 * HOUR_MS, endMs: 18 * HOUR_MS, endSource: 'lastSample' };

const READ: readonly (readonly [what: string, key: string, row: object, expected: Values])[] = [
  [
    'hours and costs as they are',
    'c/n/s/p/k',
    { properties: { cluster: 'c' }, cpuCoreHours: 3, cpuCost: 1, cpuCostAdjustment: -0.5, ramCost: 2 },
    { cluster: 'c', cpuCoreHours: 3, cpuCost: 1, cpuCostAdjustment: -0.5, ramCost: 2 },
  ],
  [
    'averages over the running time',
    'c/n/s/p/k',
    { properties: { cluster: 'c' }, cpuCores: 0.5, cpuCoreRequestAverage: 0.25, ramByteUsageAverage: 10, gpuCount: 2 },
    { cluster: 'c', cpuCoreHours: 6, cpuCoreRequestHours: 3, ramByteUsageHours: 120, gpuHours: 24 },
  ],
  [
    'hours before averages',
    'k',
    { properties: { cluster: 'c' }, cpuCores: 0.5, cpuCoreHours: 7 },
    { cluster: 'c', cpuCoreHours: 7 },
  ],
  [
    'volumes, and their sums where the row does not give them',
    'k',
    { properties: { cluster: 'c' }, pvs: { 'cluster=c:name=v': { byteHours: 5, cost: 2 }, w: { cost: 1, providerID: 'x', adjustment: 3 } } },
    {
      cluster: 'c',
      pvByteHours: 5,
      pvCost: 3,
      pvCostAdjustment: 3,
      pvs: '{"cluster=c:name=v":{"byteHours":5,"cost":2,"providerID":"","adjustment":0},"w":{"byteHours":0,"cost":1,"providerID":"x","adjustment":3}}',
    },
  ],
  [
    'load balancers, and the whole provider id beside a short one',
    'k',
    { properties: { providerIDFull: 'aws:///z/i-0', providerID: 'i-0' }, lbAllocations: { a: { service: 'web/front', cost: 2, private: true, ip: '10.0.0.1' }, b: { cost: 1, hours: null } } },
    {
      providerID: 'aws:///z/i-0',
      lbAllocations: '{"a":{"service":"web/front","cost":2,"private":true,"ip":"10.0.0.1"},"b":{"service":"","cost":1,"private":false,"ip":""}}',
    },
  ],
  [
    'maxima of rows that are not aggregated',
    'k',
    { properties: { cluster: 'c' }, rawAllocationOnly: { cpuCoreUsageMax: 2, ramByteUsageMax: 9 } },
    { cluster: 'c', cpuCoreUsageMax: 2, ramByteUsageMax: 9 },
  ],
  [
    'labels in either spelling, in order of name',
    'k',
    { properties: { label: { b: '2', a: '1' }, labels: { b: '2', c: '3' }, annotation: { x: 'y' }, services: ['t', 's'], service: ['s'] } },
    { labels: '{"a":"1","b":"2","c":"3"}', annotations: '{"x":"y"}', services: '["s","t"]' },
  ],
  [
    'the parts of its name where it has no properties',
    'c/n/s/p/k',
    {},
    { cluster: 'c', node: 'n', namespace: 's', pod: 'p', container: 'k' },
  ],
  ['idle of a cluster', 'c/__idle__', { properties: { cluster: 'c' }, cpuCost: 4 }, { cluster: 'c', container: '__idle__', cpuCost: 4 }],
  ['idle of a node by its name', 'c/n/__idle__', {}, { cluster: 'c', node: 'n', container: '__idle__' }],
  ['idle of all', '__idle__', { properties: {} }, { container: '__idle__' }],
  [
    'what is not mounted',
    'c/__unmounted__/__unmounted__/__unmounted__/__unmounted__',
    { properties: { cluster: 'c', namespace: '__unmounted__' }, pvCost: 1 },
    { cluster: 'c', namespace: '__unmounted__', container: '__unmounted__', pvCost: 1 },
  ],
  ['null for what is not a number', 'k', { properties: { cluster: 'c' }, cpuCost: null, cpuEfficiency: null }, { cluster: 'c' }],
  ['fields nobody knows', 'k', { properties: { cluster: 'c', cloud: { a: [1, { b: 2 }] } }, others: { a: { cost: 1 } } }, { cluster: 'c' }],
]; // prettier-ignore

describe('a row is read:', () => {
  for (const [what, key, row, expected] of READ)
    test(what, async () => {
      const [got, ...others] = await rows(answer({ [key]: { name: key, ...DAY, ...row } }));
      assert.deepEqual(others, []);
      assert.deepEqual(got, { ...TIMES, ...expected });
    });

  test('its end by its minutes, its window where it has neither', async () => {
    const { window } = DAY;
    const set = { a: { window, minutes: 60 }, b: { window } };
    const spans = (await rows(answer(set))).map(({ startMs = 0, endMs }) => [startMs, endMs]);
    assert.deepEqual(spans, [[0, HOUR_MS], [0, 24 * HOUR_MS]]); // prettier-ignore
  });
});

test('sets come one by one; empty ones are passed over', async () => {
  const later = { start: '1970-01-02T00:00:00Z', end: '1970-01-03T00:00:00Z' };
  const sets = await read(answer(null, {}, { k: DAY }, { k: { window: later }, l: DAY }));
  assert.deepEqual(
    sets.map(({ startMs, endMs, rows: count }) => [startMs / HOUR_MS, endMs / HOUR_MS, count]),
    [[0, 24, 1], [0, 48, 2]],
  ); // prettier-ignore
});

test('what a total holds beyond the costs that are known is told', async () => {
  const set = { a: { ...DAY, cpuCost: 1, totalCost: 3 }, b: { ...DAY, cpuCost: 2, totalCost: 1 } };
  assert.equal((await read(answer(set)))[0]?.unexplainedUsd, 3);
});

const bad = (row: object): string => answer({ 'c/k': { ...DAY, ...row } });
const BROKEN: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['a text for a number', bad({ cpuCost: 'much' }), /row 'c\/k': 'cpuCost' is 'much', not a number/],
  ['an object for a number', bad({ ramCost: {} }), /row 'c\/k': 'ramCost' is an object/],
  ['a number for an object', bad({ properties: 1 }), /row 'c\/k': 'properties' is not what it/],
  ['no window', answer({ 'c/k': {} }), /row 'c\/k': 'window' is missing/],
  ['a window that is none', bad({ window: { start: 'today' } }), /row 'c\/k': 'window' holds 'today'/],
  ['a window backwards', bad({ window: { start: DAY.end, end: DAY.start } }), /'window' ends before/],
  ['a start that is none', bad({ start: '1970-02-30T00:00:00Z' }), /row 'c\/k': 'start' holds/],
  ['an end before the start', bad({ end: DAY.window.start }), /row 'c\/k': 'end' is before start/],
  ['an end nobody knows the source of', bad({ endSource: 'x' }), /'endSource' is 'x', not one of/],
  ['a volume without a number', bad({ pvs: { v: { cost: 'x' } } }), /row 'c\/k': 'cost' is 'x'/],
  ['half a file', bad({}).slice(0, 150), /day\.json: row 'c\/k': it ends inside/],
  ['a page', '<html>', /day\.json: '<' stands where/],
  ['nothing', '', /day\.json: it has no list 'data' of sets/],
  ['a refusal', '{"code":400,"message":"no such window","data":null}', /but says: no such window/],
]; // prettier-ignore

describe('a file is refused, with its name, row and field, for', () => {
  for (const [what, text, message] of BROKEN)
    test(what, async () => {
      const error = await read(text).then(
        () => assert.fail('it was read'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof Fault, String(error));
      assert.match(error.message, message);
      assert.match(error.message, /^day\.json: /);
    });
});

test('what we write reads back as it was, cut into any chunks', async () => {
  const options: RowOptions = {
    window: { startMs: 0, endMs: 24 * HOUR_MS },
    resolutionMs: 0,
    isRaw: true,
    format: { kind: 'json' },
  };
  await fc.assert(
    fc.asyncProperty(anyDay, fc.integer({ min: 1, max: 5000 }), async (day, bytes) => {
      const table = tableOf(engine.arena, TASK, day);
      const grouping = { keys: [], idleNames: 'node' } as const;
      const { frame, texts } = aggregate(engine, TASK, [table], grouping);
      const set = jsonMembers(frame, texts, options);
      const [saved, ...others] = await read(`{"code":200,"data":[{${set}}]}`, bytes);
      const tables = saved ? [saved.table(engine.arena, TASK)] : [];
      const again = aggregate(engine, TASK, tables, grouping);
      const setAgain = jsonMembers(again.frame, again.texts, options);
      engine.arena.release(TASK);
      assert.deepEqual(others, []);
      assert.equal(setAgain, set);
    }),
    { numRuns: 60 },
  );
});
