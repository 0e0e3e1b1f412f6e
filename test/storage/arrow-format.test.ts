/** A set's file as other programs see it, and as small as it has to be. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { tableFromIPC, type Table } from 'apache-arrow';
import { FLEET_NUMBERS, FLEET_TEXTS, fleetDay } from '../../bench/stored-fleet.ts';
import { encodeSet } from '../../src/storage/index.ts';
import { dayKey, encoded, META } from '../support/stores/stored-sets.ts';

interface Told {
  readonly rows: number;
  readonly key: unknown;
  readonly meta: unknown;
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
}

function directoryOf(table: Table): Told {
  return JSON.parse(table.schema.metadata.get('prorata') ?? '') as Told;
}

test('any reader of Arrow opens a file and sees texts, numbers and bytes', async () => {
  const { bytes } = await encoded(dayKey(0), {
    pod: ['a', '', 'ü', 'a'],
    cpuCost: [0.5, 1, 2, 3],
    restarts: [0, 3, 0, 0],
    sketch: [[1, 2], [], [3], []].map((row) => Buffer.from(row)),
  });
  const table = tableFromIPC(bytes);
  const rows = table.toArray().map((row: { toJSON(): object }) => row.toJSON());
  assert.deepEqual(rows, [
    { cpuCost: 0.5, restarts: 0, pod: 'a', sketch: Uint8Array.of(1, 2) },
    { cpuCost: 1, restarts: 3, pod: '', sketch: Uint8Array.of() },
    { cpuCost: 2, restarts: 0, pod: 'ü', sketch: Uint8Array.of(3) },
    { cpuCost: 3, restarts: 0, pod: 'a', sketch: Uint8Array.of() },
  ]);
  assert.deepEqual(
    table.schema.fields.map(({ name, type }) => `${name} ${String(type)}`),
    ['cpuCost Float64', 'restarts Uint8', 'pod Dictionary<Uint8, Utf8>', 'sketch Binary'],
  );
  const { rows: count, key, meta } = directoryOf(table);
  assert.deepEqual({ count, key, meta }, { count: 4, key: dayKey(0), meta: META });
});

test('columns without a value are left out, those of one value are in the metadata', async () => {
  const { bytes } = await encoded(dayKey(0), {
    cluster: ['eu', 'eu'],
    node: ['', ''],
    gpuCost: [0, 0],
    price: [0.25, 0.25],
    cpuCost: [1, 0.5],
  });
  const table = tableFromIPC(bytes);
  assert.deepEqual(
    table.schema.fields.map(({ name }) => name),
    ['cpuCost'],
  );
  const constants = directoryOf(table).columns.filter((column) => !('type' in column));
  assert.deepEqual(constants, [
    { name: 'price', number: 0.25 },
    { name: 'cluster', text: 'eu' },
  ]);
});

test('each column of texts has a dictionary of its own texts, also where its table shares one', async () => {
  const { bytes } = await encoded(dayKey(0), { pod: ['a', 'b', 'c'], namespace: ['x', 'y', 'x'] });
  const [pod, namespace] = ['pod', 'namespace'].map((name) => {
    const texts = tableFromIPC(bytes).getChild(name)?.data[0]?.dictionary;
    return texts?.toArray() as unknown;
  });
  assert.deepEqual(pod, ['', 'a', 'b', 'c']);
  assert.deepEqual(namespace, ['', 'x', 'y']);
});

test('the directory has the place and checksum of every column, in plain ASCII', async () => {
  const { bytes, directory } = await encoded(dayKey(0), { pod: ['ü', 'é'], cpuCost: [1.5, 2] });
  const [at, length, sum] = directory;
  const own = bytes.subarray(at, at + length);
  assert.equal(crc32(own), sum);
  assert.match(Buffer.from(own).toString('latin1'), /^\{[ -~]*\} *$/);
  const told = JSON.parse(Buffer.from(own).toString()) as {
    columns: readonly Record<string, readonly [number, number, number]>[];
  };
  const regions = told.columns.flatMap((column) =>
    Object.values(column).filter((value) => Array.isArray(value)),
  );
  assert.equal(regions.length, 4, 'numbers, codes, offsets and texts');
  for (const [from, count, crc] of regions) {
    assert.equal(crc32(bytes.subarray(from, from + count)), crc);
  }
});

test('equal tables give equal bytes', async () => {
  const table = { pod: ['a', 'b', 'a'], cpuCost: [1, 2.5, 3] };
  const [one, two] = await Promise.all([encoded(dayKey(0), table), encoded(dayKey(0), table)]);
  assert.deepEqual(one.bytes, two.bytes);
});

test('a container-day of 16 measures takes at most 220 bytes', async () => {
  const rows = 50_000;
  const { bytes } = await encodeSet({
    key: dayKey(0),
    meta: META,
    table: fleetDay(rows, 0),
    texts: FLEET_TEXTS,
    numbers: FLEET_NUMBERS,
  });
  const each = bytes.length / rows;
  assert.ok(each <= 220, `${each} bytes a row`);
});
