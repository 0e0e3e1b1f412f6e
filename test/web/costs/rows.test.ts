/** Rows are read from the API's CSV, found, sorted, folded, and written as CSV again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvNumber, csvText } from '../../../src/export/index.ts';
import { compared, totalOf } from '../../../src/web/costs/compare.ts';
import { csvOf } from '../../../src/web/costs/csv.ts';
import { costRows, foundRows, groupRows, sortedRows } from '../../../src/web/costs/groups.ts';
import { withIdleShares } from '../../../src/web/costs/idle-share.ts';
import { readRows, readRowsInSlices, type CostRows } from '../../../src/web/costs/rows.ts';

const HEAD = 'Name,CPU,GPU,RAM,PV,Network,LoadBalancer,External,Shared,Efficiency,Total\n';

function csv(
  rows: readonly (readonly [name: string, cpu: number, ram: number, efficiency: number])[],
): string {
  const lines = rows.map(([name, cpu, ram, efficiency]) =>
    [
      csvText(name),
      csvNumber(cpu),
      0,
      csvNumber(ram),
      0,
      0,
      0,
      0,
      0,
      csvNumber(efficiency),
      csvNumber(cpu + ram),
    ].join(','),
  );
  return HEAD + lines.map((line) => `${line}\n`).join('');
}

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 });
const usd = fc.double({ min: 0, max: 1e6, noNaN: true });
const anyRows = fc.uniqueArray(fc.tuple(name, usd, usd, usd), {
  selector: ([own]) => own,
  maxLength: 30,
});

const NAMED: readonly (readonly [string, number, number, number])[] = [
  ['web/a', 3, 1, 0.5],
  ['web/b', 1, 1, 1],
  ['data/c', 10, 0, 0.2],
  ['__idle__', 7, 7, 0],
];
const named = readRows(csv(NAMED));

test('rows that are read in slices are those that are read at once', async () => {
  for (const odd of ['', '\n,']) {
    const lines = Array.from({ length: 5000 }, (_, row) => [`a${row}${odd}`, row, 1, 1] as const);
    const text = csv(lines);
    let pauses = 0;
    const sliced = await readRowsInSlices(text, async () => void pauses++);
    assert.deepEqual(sliced, readRows(text));
    assert.equal(sliced.names.length, 5000);
    assert.equal(sliced.columns.cpu.length, 5000);
    assert.equal(pauses, 2);
  }
});

test('names and numbers are those that were written, hostile ones too', () => {
  fc.assert(
    fc.property(anyRows, (rows) => {
      const read = readRows(csv(rows));
      // A quote before what looks like a formula is the writer's own: it cannot be told from a name's.
      const names = rows.map(([own]) => (/^'[=+\-@\t\r]/.test(own) ? own.slice(1) : own));
      assert.deepEqual(read.names, names);
      assert.deepEqual(
        [...read.columns.cpu],
        rows.map(([, cpu]) => cpu),
      );
      assert.deepEqual(
        [...read.columns.total],
        rows.map(([, cpu, ram]) => cpu + ram),
      );
    }),
  );
});

test('nothing, and a header alone, are no rows', () => {
  for (const text of ['', HEAD]) assert.deepEqual(readRows(text).names, []);
});

test('rows are found by all words of their name, in any case, idle never', () => {
  const found = (words: string): string[] =>
    foundRows(named.names, costRows(named.names), words).map((row) => named.names[row] ?? '');
  assert.deepEqual(found(''), ['web/a', 'web/b', 'data/c']);
  assert.deepEqual(found('WEB'), ['web/a', 'web/b']);
  assert.deepEqual(found(' /b web '), ['web/b']);
  assert.deepEqual(found('idle'), []);
});

test('rows are sorted by any number, by name, or by their change', () => {
  const all = costRows(named.names);
  const order = (sort: string, isRising: boolean): string[] =>
    sortedRows(named, all, { sort, isRising }, (own) => ({ 'web/a': -5, 'web/b': 2 })[own]).map(
      (row) => named.names[row] ?? '',
    );
  assert.deepEqual(order('total', false), ['data/c', 'web/a', 'web/b']);
  assert.deepEqual(order('cpu', true), ['web/b', 'web/a', 'data/c']);
  assert.deepEqual(order('name', false), ['data/c', 'web/a', 'web/b']);
  assert.deepEqual(order('change', false), ['web/b', 'web/a', 'data/c']);
});

test('groups add up, and weigh efficiency by what CPU and RAM cost', () => {
  const { groups, members } = groupRows(
    named,
    ['namespace', 'controller'],
    new Set(['web', 'data']),
  );
  assert.deepEqual(groups.names, ['web', 'data']);
  assert.deepEqual([...groups.columns.total], [6, 10]);
  assert.deepEqual([...groups.columns.efficiency], [(0.5 * 4 + 2) / 6, 0.2]);
  assert.deepEqual(members.get('web'), [0, 1]);
});

test('the change of all rows is that of the total', () => {
  fc.assert(
    fc.property(anyRows, anyRows, (a, b) => {
      const [before, now] = [readRows(csv(a)), readRows(csv(b))];
      const both = compared(now, before);
      const names = new Set([...before.names, ...now.names]);
      const sum = [...names].reduce((usdSum, own) => usdSum + (both.changeOf(own) ?? 0), 0);
      const size = totalOf(before)[0] + totalOf(now)[0];
      assert.ok(Math.abs(sum - (both.now - both.before)) <= 1e-9 * Math.max(1, size));
      assert.equal(both.changeOf('\u0000 of neither'), undefined);
    }),
  );
});

test('the CSV of what is seen has the rows in their order, with a column for each field', () => {
  const shown = [2, 0].map(
    (at) => ({ name: named.names[at] ?? '', kind: 'row', group: '', at, isOpen: false }) as const,
  );
  const table = {
    shown,
    rows: named as CostRows,
    groups: undefined,
    by: ['namespace', 'controller'],
  };
  const text = csvOf({ ...table, measures: ['cpu'], changeOf: ({ at }) => at - 1 });
  assert.equal(text, 'namespace,controller,cost,change,cpu\ndata,c,10,1,10\nweb,a,4,-1,3\n');
});

test('each row bears the idle that it costs more for, and all together all of it', () => {
  const plain = readRows(
    csv([
      ['a', 5, 1, 1],
      ['b', 3, 0, 1],
    ]),
  );
  const shared = readRows(
    csv([
      ['a', 8, 1, 1],
      ['b', 4, 1, 1],
    ]),
  );
  const earlier = (usd: number): CostRows => readRows(csv([['a', usd, 1, 1]]));
  const before = { plain: earlier(5), shared: earlier(6) };
  const rows = withIdleShares(shared, plain, { now: { shared, plain }, before });
  assert.deepEqual([...rows.columns.idle], [3, 2]);
  assert.deepEqual([...rows.columns.idleChange], [3 - 1, 2 - 0]);
  assert.equal(totalOf(rows, 'idle')[0], totalOf(shared)[0] - totalOf(plain)[0]);
  assert.deepEqual([...withIdleShares(shared, plain, undefined).columns.idleChange], [0, 0]);
});
