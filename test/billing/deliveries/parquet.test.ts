/** Bills in Parquet: the same rows as in CSV. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openBillFile } from '../../../src/billing/focus/index.ts';
import {
  startBillStore,
  sumOf,
  type BillRow,
  type BillStore,
} from '../../support/stores/bill-store.ts';
import { focusParquet, type ParquetForm } from '../../support/stores/focus-parquet.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';
import { exactTotal, focusSamples } from '../../support/focus-sample.ts';
import { assertNear } from '../../support/references/near.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-parquet-'));
const FORM: ParquetForm = { rowGroupSize: 1000, codec: 'SNAPPY', isText: false };

let store: BillStore;
before(async () => (store = await startBillStore()));
after(async () => {
  await store.stop();
  rmSync(home, { recursive: true, force: true });
});

function byText(a: BillRow, b: BillRow): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}

async function deliver(content: Uint8Array, source: string): Promise<BillRow[]> {
  const path = join(home, `${source}.parquet`);
  writeFileSync(path, content);
  const file = await openBillFile(path);
  try {
    await store.deliver([file], { as: 'external', source });
    return await store.rows('external');
  } finally {
    await file.close();
  }
}

const FORMS: readonly (readonly [string, Partial<ParquetForm>])[] = [
  ['in one row group', {}],
  ['in many row groups', { rowGroupSize: 90 }],
  ['not compressed', { codec: 'UNCOMPRESSED' }],
  ['with numbers and times as texts', { isText: true }],
];

for (const sample of focusSamples())
  describe(`${sample.what} in Parquet has the rows of the CSV`, () => {
    let expected: BillRow[];
    before(async () => {
      await store.deliver([sample.csv]);
      expected = (await store.rows()).toSorted(byText);
    });

    for (const [what, form] of FORMS)
      test(what, async () => {
        const rows = await deliver(focusParquet(sample.csv, { ...FORM, ...form }), 'sample');
        assert.equal(rows.length, sample.rows.length);
        assert.deepEqual(rows.toSorted(byText), expected);
        assertNear(sumOf(rows, 'billedCost'), exactTotal(sample, 'BilledCost'));
      });
  });

const damaged = focusParquet(focusCsv({}), FORM);
const MISTAKES: readonly (readonly [what: string, content: Uint8Array, message: RegExp])[] = [
  [
    'a missing column',
    focusParquet(focusCsv({}).replace('BilledCost', 'Cost'), FORM),
    /missing\.parquet, row 1: the mandatory column BilledCost of FOCUS is missing$/,
  ],
  [
    'a bad row',
    focusParquet(focusCsv({}, {}, { BillingCurrency: 'EUR' }), FORM),
    /bad\.parquet, row 3, column BillingCurrency: 'EUR' is not USD$/,
  ],
  [
    'a bad number',
    focusParquet(focusCsv({}, { ListCost: 'x' }), { ...FORM, isText: true }),
    /bad\.parquet, row 2, column ListCost: 'x' is not a number$/,
  ],
  ['its end cut off', damaged.subarray(0, -4), /cut\.parquet is damaged, as Parquet: /],
  [
    'other bytes within',
    Buffer.concat([damaged.subarray(0, 8), Buffer.alloc(400, 0xee), damaged.subarray(408)]),
    /within\.parquet is damaged, as Parquet: /,
  ],
];

describe('Parquet is refused for', () => {
  for (const [what, content, message] of MISTAKES)
    test(what, () => {
      const [source = ''] = /missing|bad|cut|within/.exec(what) ?? [];
      return assert.rejects(deliver(content, source), { name: 'Fault', message });
    });
});
