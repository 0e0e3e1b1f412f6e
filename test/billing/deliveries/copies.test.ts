/** Bills that two sources deliver: equal charges count once, whatever the order in which deliveries are renewed. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { focusCsv, type FocusRow } from '../../support/stores/focus-rows.ts';

let store: BillStore;
before(async () => (store = await startBillStore('UTC', 1)));
after(() => store.stop());

let months = 0;
/** A billing period that no other case has. */
function nextMonth(): { readonly times: FocusRow; readonly billed: () => Promise<number> } {
  const [startMs, endMs] = [months, months + 1].map((month) => Date.UTC(2020, month));
  months++;
  const [start, end] = [startMs, endMs].map((ms) => new Date(ms ?? 0).toISOString());
  const times = {
    BillingPeriodStart: start ?? '',
    BillingPeriodEnd: end ?? '',
    ChargePeriodStart: start ?? '',
    ChargePeriodEnd: `${start?.slice(0, 9)}2T00:00:00Z`,
  };
  const window = { startMs: startMs ?? 0, endMs: endMs ?? 0 };
  return { times, billed: async () => sumOf(await store.rows('cloud', window), 'billedCost') };
}

const A: FocusRow = { BilledCost: '10', ResourceId: 'i-1', Tags: '{"team":"a"}' };
const B: FocusRow = { BilledCost: '20', ResourceId: 'i-2' };

describe('charges that a second source delivers', () => {
  type Files = (...rows: readonly FocusRow[]) => readonly (string | Uint8Array)[];
  const plain: Files = (...rows) => [focusCsv(...rows)];
  const cases: readonly (readonly [what: string, rows: readonly FocusRow[], files: Files, usd: number])[] = [
    ['count once', [A, B], plain, 30],
    ['count once if they are packed', [A, B], (...rows) => [gzipSync(focusCsv(...rows))], 30],
    ['count once in another order', [B, A], plain, 30],
    ['count once in several files', [A, B], (...rows) => rows.map((row) => focusCsv(row)), 30],
    ['count once with costs written otherwise', [{ ...A, BilledCost: '10.00' }, B], plain, 30],
    ['count if a cost differs', [{ ...A, BilledCost: '10.01' }, B], plain, 60.01],
    ['count if a cost moved to another row', [{ ...A, BilledCost: '20' }, { ...B, BilledCost: '10' }], plain, 60],
    ['count if a tag differs', [{ ...A, Tags: '{"team":"b"}' }, B], plain, 60],
    ['count if the account differs', [{ ...A, BillingAccountId: 'other' }, B], plain, 60],
    ['count if a row is there twice', [A, A, B], plain, 70],
    ['count if a row is missing', [A], plain, 40],
  ]; // prettier-ignore
  for (const [what, rows, files, usd] of cases)
    test(what, async () => {
      const { times, billed } = nextMonth();
      const dated = (all: readonly FocusRow[]): FocusRow[] =>
        all.map((row) => ({ ...row, ...times }));
      await store.deliver([focusCsv(...dated([A, B]))], { source: 'first' });
      const second = await store.deliver(files(...dated(rows)), { source: 'second' });
      assert.ok(Math.abs((await billed()) - usd) < 1e-9, `${await billed()}, not ${usd}`);
      const day = times['BillingPeriodStart']?.slice(0, 10);
      const warned = `the charges billed from ${day} are those of source first, and count once: deliver a bill under one source`;
      assert.deepEqual(second.warnings, usd === 30 ? [warned] : []);
    });

  test('count if one source bills the cloud and the other is external', async () => {
    const { times, billed } = nextMonth();
    await store.deliver([focusCsv({ ...A, ...times })], { source: 'first' });
    const other = await store.deliver([focusCsv({ ...A, ...times })], { as: 'external' });
    assert.deepEqual(other.warnings, []);
    assert.equal(await billed(), 10);
    assert.equal(sumOf(await store.rows('external'), 'billedCost'), 10);
  });

  test('count in the periods in which they are not the same', async () => {
    const [one, two] = [nextMonth(), nextMonth()];
    const rows = (second: string): FocusRow[] => [
      { ...A, ...one.times },
      { ...A, ...two.times, BilledCost: second },
    ];
    await store.deliver([focusCsv(...rows('1'))], { source: 'first' });
    const { warnings } = await store.deliver([focusCsv(...rows('2'))], { source: 'second' });
    assert.equal(warnings.length, 1);
    assert.deepEqual([await one.billed(), await two.billed()], [10, 3]);
  });
});

test('a bill of two sources counts once when both have its last version, in any order', async () => {
  const sources = ['first', 'second'] as const;
  const orders = fc.array(fc.tuple(fc.constantFrom(...sources), fc.nat(1)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(orders, fc.constantFrom(...sources), async (steps, last) => {
      const { times, billed } = nextMonth();
      const versions = new Map<string, number>([['first', 0], ['second', 0]]); // prettier-ignore
      const deliver = async (source: string, version: number): Promise<void> => {
        versions.set(source, version);
        await store.deliver([focusCsv({ ...A, ...times, BilledCost: `${version}` })], { source });
        // Each version replaces those before it, of both: the most that counts is one of each source.
        const newest = Math.max(...versions.values());
        const known = new Set(versions.values());
        assert.ok([newest, [...known].reduce((a, b) => a + b, 0)].includes(await billed()));
      };
      for (const [source, step] of steps)
        await deliver(source, (versions.get(source) ?? 0) + step + 1);
      const final = Math.max(...versions.values()) + 1;
      await deliver(last, final);
      await deliver(last === 'first' ? 'second' : 'first', final);
      assert.equal(await billed(), final);
    }),
    { numRuns: 50 },
  );
});
