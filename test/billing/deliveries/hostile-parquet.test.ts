/** Parquet that was made to do harm, or was damaged: it is refused by name, and the next bill is read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RowGroup } from 'hyparquet';
import { seededRandom } from '../../../bench/random.ts';
import { openBillFile } from '../../../src/billing/focus/index.ts';
import { isProof } from '../../support/sampled.ts';
import { startBillStore, type BillStore } from '../../support/stores/bill-store.ts';
import { focusParquet, type ParquetForm } from '../../support/stores/focus-parquet.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';

const FORM: ParquetForm = { rowGroupSize: 1000, codec: 'SNAPPY', isText: false };
const MUTATIONS = Number(process.env['MUTATIONS'] ?? (isProof ? 2000 : 40));
/** Beyond the deadline of a call, on cores that others use. */
const HANGS_AFTER_MS = 30_000;

const home = mkdtempSync(join(tmpdir(), 'prorata-hostile-parquet-'));
let store: BillStore;
before(async () => (store = await startBillStore()));
after(async () => {
  await store.stop();
  rmSync(home, { recursive: true, force: true });
});

/** @returns '' when the bill was stored, else why it was refused */
async function delivered(content: Uint8Array): Promise<string> {
  const path = join(home, 'bill.parquet');
  writeFileSync(path, content);
  const file = await openBillFile(path);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it hangs')), HANGS_AFTER_MS);
  });
  try {
    await Promise.race([store.deliver([file], { as: 'external', source: 'some' }), late]);
    return '';
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'Fault', String(error));
    assert.match(error.message, /bill\.parquet/);
    return error.message;
  } finally {
    clearTimeout(timer);
    await file.close();
  }
}

const csv = focusCsv({}, { BilledCost: '7' });
const bill = focusParquet(csv, FORM);

const LIES: readonly (readonly [string, (group: RowGroup) => void, RegExp])[] = [
  ['2^62 rows', (group) => (group.num_rows = 2n ** 62n), /4611686018427387904 rows/],
  ['2^40 rows', (group) => (group.num_rows = 2n ** 40n), /1099511627776 rows in \d+ bytes/],
  ['fewer rows than none', (group) => (group.num_rows = -1n), /-1 rows/],
  ['more rows than it has', (group) => (group.num_rows = 100_000n), /damaged, as Parquet/],
  ['2^40 values', (group) => (chunkOf(group).num_values = 2n ** 40n), /1099511627776 values/],
  ['a column beyond its end', (group) => (chunkOf(group).data_page_offset = 2n ** 33n), /column of/],
  ['a column larger than itself', (group) => (chunkOf(group).total_compressed_size = 2n ** 33n), /column of/],
  ['a column that unpacks to 2^50 bytes', (group) => (chunkOf(group).total_uncompressed_size = 2n ** 50n), /column of/],
]; // prettier-ignore

for (const [what, lie, why] of LIES)
  test(`a footer that tells of ${what} is refused, and the next bill is read`, async () => {
    const content = focusParquet(csv, FORM, ([group]) => group && lie(group));
    assert.match(await delivered(content), why);
    assert.equal(await delivered(bill), '');
  });

test('a file that is gone is not called damaged, so that feeds try it again', async () => {
  const path = join(home, 'gone.parquet');
  writeFileSync(path, bill);
  const file = await openBillFile(path);
  rmSync(path);
  await assert.rejects(store.deliver([file], { as: 'external', source: 'gone' }), {
    code: 'ENOENT',
  });
  await file.close();
});

test(`${MUTATIONS} damaged files are read or refused, and none hangs`, async (context) => {
  const counts = { read: 0, refused: 0 };
  for (let seed = 0; seed < MUTATIONS; seed++) {
    const why = await delivered(mutated(bill, seed));
    counts[why === '' ? 'read' : 'refused']++;
  }
  assert.equal(await delivered(bill), '');
  context.diagnostic(`${counts.read} read, ${counts.refused} refused`);
  assert.ok(counts.refused > 0);
});

/** One to four bytes are others, or a part is missing, or is there twice. */
function mutated(content: Buffer, seed: number): Buffer {
  const random = seededRandom(7919 * (seed + 1));
  const below = (count: number): number => Math.floor(random() * count);
  const at = below(content.length);
  const length = below(64);
  if (below(8) === 0)
    return Buffer.concat([content.subarray(0, at), content.subarray(at + length)]);
  if (below(8) === 0)
    return Buffer.concat([content.subarray(0, at + length), content.subarray(at)]);
  const changed = Buffer.from(content);
  for (let left = 1 + below(4); left > 0; left--) changed[below(content.length)] = below(256);
  return changed;
}

function chunkOf({ columns }: RowGroup): NonNullable<RowGroup['columns'][number]['meta_data']> {
  return columns[0]?.meta_data ?? assert.fail('no column');
}
