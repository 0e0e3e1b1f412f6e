/** OpenCost's daily CSV as days of allocations: rows of its own tests, odd files and broken ones. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOpencostCsv, type SavedSet } from '../../../src/allocation/index.ts';
import { MEASURES } from '../../../src/allocation/row/schema.ts';
import type { Table } from '../../../src/columnar/index.ts';
import { Fault } from '../../../src/query/index.ts';
import { newArena } from '../../support/stores/stored-sets.ts';

const arena = newArena();
const OWNER = 1;
const HEADER =
  'Date,Namespace,ControllerKind,ControllerName,Pod,Container,CPUCoreUsageAverage,' +
  'CPUCoreRequestAverage,RAMBytesUsageAverage,RAMBytesRequestAverage,NetworkReceiveBytes,' +
  'NetworkTransferBytes,GPUs,PVBytes,CPUCost,RAMCost,NetworkCost,PVCost,GPUCost,TotalCost';
const ROW =
  '2021-01-01,test-namespace,test-controller-kind,test-controller-name,test-pod,' +
  'test-container,0.1,0.2,0.4,0.5,11,10,2,2,0.3,0.6,0.9,2,0.8,4.6000000000000005';

async function* cut(text: string | Uint8Array, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) {
    await Promise.resolve();
    yield all.subarray(at, at + bytes);
  }
}

async function read(text: string | Uint8Array, bytes: number = 1 << 16): Promise<SavedSet[]> {
  const sets: SavedSet[] = [];
  for await (const set of readOpencostCsv(cut(text, bytes), 'days.csv', 'eu')) sets.push(set);
  return sets;
}

type Values = Record<string, string | number>;

/** What is not empty of each row. */
function rowsOf(set: SavedSet | undefined): Values[] {
  assert.ok(set, 'a set');
  const table: Table = set.table(arena, OWNER);
  const texts = ['cluster', 'node', 'namespace', 'controllerKind', 'controller', 'pod', 'container', 'labels']; // prettier-ignore
  const rows = Array.from({ length: table.rows }, (_, row) => {
    const values: Values = {};
    for (const name of texts) {
      const column = table.text(name);
      const text = column?.texts.text(column.codes[row] ?? 0) ?? '';
      if (text !== '') values[name] = text;
    }
    for (const { column } of MEASURES) {
      const value = table.numbers(column)?.values[row] ?? 0;
      if (value !== 0) values[column] = value;
    }
    return values;
  });
  arena.release(OWNER);
  return rows;
}

test("the row of OpenCost's own test is the row of that day", async () => {
  const [set, ...others] = await read(`${HEADER}\n${ROW}\n`);
  assert.deepEqual(others, []);
  const times = [set?.startMs, set?.endMs].map((ms) => new Date(ms ?? NaN).toISOString());
  assert.deepEqual(times, ['2021-01-01T00:00:00.000Z', '2021-01-02T00:00:00.000Z']);
  assert.equal(set?.unexplainedUsd, 0);
  const [row] = rowsOf(set);
  assert.deepEqual(row, {
    cluster: 'eu',
    namespace: 'test-namespace',
    controllerKind: 'test-controller-kind',
    controller: 'test-controller-name',
    pod: 'test-pod',
    container: 'test-container',
    cpuCoreHours: 0.2 * 24,
    cpuCoreRequestHours: 0.2 * 24,
    cpuCoreUsageHours: 0.1 * 24,
    cpuCost: 0.3,
    gpuHours: 48,
    gpuCost: 0.8,
    networkTransferBytes: 10,
    networkReceiveBytes: 11,
    networkCost: 0.9,
    pvByteHours: 48,
    pvCost: 2,
    ramByteHours: 12,
    ramByteRequestHours: 12,
    ramByteUsageHours: 0.4 * 24,
    ramCost: 0.6,
  });
});

const SHORT = 'Date,Namespace,Pod,Container,CPUCost,RAMCost,TotalCost';

test('labels of one column and of many, names of cluster and node, and load balancers', async () => {
  const header = `${SHORT},Labels,Label_team,Label_tier,Cluster,Node`;
  const cells = '2021-01-01,n,p,c,1,2,3.5,"{""app"":""a,b"",""team"":""x""}",y,,us,n1';
  assert.deepEqual(rowsOf((await read(`${header}\r\n${cells}`))[0]), [
    {
      cluster: 'us',
      node: 'n1',
      namespace: 'n',
      pod: 'p',
      container: 'c',
      labels: '{"app":"a,b","team":"y"}',
      cpuCost: 1,
      ramCost: 2,
      loadBalancerCost: 0.5,
    },
  ]);
});

test('days follow one another; cells of columns that came later are empty', async () => {
  const text = `${SHORT},GPUCost,Cloud\n2021-01-01,n,p,c,1,1,2,,\n2021-01-02,n,p,c,1,1,5,3,x\n`;
  for (const bytes of [1, 7, 1000]) {
    const sets = await read(text, bytes);
    assert.deepEqual(
      sets.map(({ rows, startMs }) => [rows, new Date(startMs).getUTCDate()]),
      [[1, 1], [1, 2]],
    ); // prettier-ignore
    assert.equal(rowsOf(sets[1])[0]?.['gpuCost'], 3);
    assert.ok(sets[0]?.notes.includes('columns that are not read: Cloud'), 'it is told');
  }
});

test('a total that lacks its parts is told; its parts count', async () => {
  const [set] = await read(`${SHORT}\n2021-01-01,n,p,c,1,2,1\n`);
  assert.equal(set?.unexplainedUsd, 2);
  assert.deepEqual([rowsOf(set)[0]?.['cpuCost'], rowsOf(set)[0]?.['ramCost']], [1, 2]);
});

test('what nobody mounts is a row of its own kind', async () => {
  const name = '__unmounted__';
  const [row] = rowsOf((await read(`${SHORT}\n2021-01-01,${name},${name},${name},0,0,1\n`))[0]);
  assert.equal(row?.['container'], name);
});

const row = (cells: string): string => `${SHORT}\n2021-01-01,n,p,c,1,1,2\n${cells}\n`;
const BROKEN: readonly (readonly [what: string, text: string | Uint8Array, message: RegExp])[] = [
  ['nothing', '', /^days\.csv: it is empty$/],
  ['a header alone', `${SHORT}\n`, /^days\.csv: there is no row under the names of columns$/],
  ['no column of days', 'Namespace\nn\n', /^days\.csv, row 1, column Date: is missing$/],
  ['a column twice', `${SHORT},Pod\n`, /^days\.csv, row 1, column Pod: is there twice$/],
  ['too few cells', row('2021-01-01,n'), /^days\.csv, row 3: cells: 2, columns: 7$/],
  ['a text for a number', row('2021-01-01,n,p,c,1,much,2'), /row 3, column RAMCost: 'much' is not a number$/],
  ['no number', row('2021-01-01,n,p,c,NaN,1,2'), /row 3, column CPUCost: 'NaN' is not a number$/],
  ['no day', row('01/02/2021,n,p,c,1,1,2'), /row 3, column Date: '01\/02\/2021' is not a day such as/],
  ['a day that is not', row('2021-02-30,n,p,c,1,1,2'), /row 3, column Date: '2021-02-30' is not a day/],
  ['a day again', row('2021-01-02,n,p,c,1,1,2\n2021-01-01,n,p,c,1,1,2'), /row 4, column Date: 2021-01-01 comes again/],
  ['labels that are no object', `${SHORT},Labels\n2021-01-01,n,p,c,1,1,2,[1]\n`, /row 2, column Labels: '\[1\]' is not a JSON object of texts$/],
  ['labels that are numbers', `${SHORT},Labels\n2021-01-01,n,p,c,1,1,2,"{""a"":1}"\n`, /row 2, column Labels: /],
  ['a quote that never ends', row('2021-01-01,"n,p,c,1,1,2'), /^days\.csv, row 3, column 2: /],
  ['bytes that are no text', Buffer.from([0xc3, 0x28]), /^days\.csv is not a text of UTF-8$/],
]; // prettier-ignore

describe('a file is refused, by its name, row and column, for', () => {
  for (const [what, text, message] of BROKEN)
    test(what, async () => {
      const error = await read(text).then(
        () => assert.fail('it was read'),
        (thrown: unknown) => thrown,
      );
      assert.ok(error instanceof Fault, String(error));
      assert.match(error.message, message);
    });
});
