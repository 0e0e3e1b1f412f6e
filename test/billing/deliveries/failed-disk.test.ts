/** Deliveries to a disk that fails, while further parts are made and written. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { openBills } from '../../../src/billing/deliveries/index.ts';
import { clockOf } from '../../../src/server/clock.ts';
import { startBillEngine, type BillEngine } from '../../../src/server/bill-engine.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { streamedBill } from '../../../src/billing/focus/index.ts';
import { Unavailable } from '../../../src/query/index.ts';
import { openArrowFiles } from '../../../src/storage/index.ts';
import { failingDisk } from '../../support/stores/crash-disk.ts';
import { focusCsv } from '../../support/stores/focus-rows.ts';

const PERIODS = 6;
const home = mkdtempSync(join(tmpdir(), 'prorata-bills-'));
const WORKERS = 2;
let engine: BillEngine;
const { config } = loadConfig([`--workers=${WORKERS}`, '--memory-limit=256MiB'], {}, () => '');
before(async () => {
  engine = await startBillEngine(config);
});
after(async () => {
  await engine.close();
  rmSync(home, { recursive: true, force: true });
});

/** Each billing period is a part of its own. */
const BILL = focusCsv(
  ...Array.from({ length: PERIODS }, (_, i) => ({
    BillingPeriodStart: `2024-0${i + 1}-01T00:00:00Z`,
    BillingPeriodEnd: `2024-0${i + 2}-01T00:00:00Z`,
  })),
);

interface Tried {
  readonly error: unknown;
  /** Operations of the disk. */
  readonly operations: number;
  readonly parts: number;
}

/** @param at the operation that fails */
async function tried(at: number): Promise<Tried> {
  const folder = join(home, `${at}`);
  const { compute } = engine;
  const [disk, arena] = [failingDisk(at, 'EIO'), compute.arena];
  const sets = await openArrowFiles({ folder, arena, disk, note: () => undefined });
  const bills = openBills({ sets, compute, clock: clockOf(config) });
  const asked = { as: 'cloud', source: 'aws', currency: 'USD', isSkipping: false } as const;
  const told = { onBad: () => undefined, onRows: () => undefined };
  const files = [streamedBill('bill.csv', Readable.from([Buffer.from(BILL)]))];
  const given = { ...asked, ...told, files };
  const error = await bills.deliver(given, new AbortController().signal).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const parts = bills.stored('cloud', { startMs: 0, endMs: Date.UTC(2200, 0) }).length;
  await sets.close();
  return { error, operations: disk.count(), parts };
}

test('P-C3: store all or nothing and give all memory back, whatever fails', async () => {
  const whole = await tried(Infinity);
  assert.deepEqual([whole.error, whole.parts], [undefined, PERIODS]);
  const held = [engine.compute.arena.usedBytes];
  for (let at = 3; at < whole.operations; at++) {
    const { error, parts } = await tried(at);
    if (error === undefined) assert.equal(parts, PERIODS, `operation ${at}`);
    else assert.deepEqual([error instanceof Unavailable, parts], [true, 0], `operation ${at}`);
    held.push(engine.compute.arena.usedBytes);
  }
  // Each worker makes tables of its own once it has started, which the last one may do late.
  const grown = held.filter((bytes, i) => bytes > (held[i - 1] ?? bytes));
  assert.ok(grown.length < WORKERS, `bytes held after each: ${held.join(', ')}`);
});
