/** Bills that are irregular and can be read: costs that are missing, copies, other spellings of ids and bytes. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openBillFile, type BillFile } from '../../../src/billing/focus/index.ts';
import { startBillStore, sumOf, type BillStore } from '../../support/stores/bill-store.ts';
import { focusCsv, type FocusRow } from '../../support/stores/focus-rows.ts';

let store: BillStore;
before(async () => (store = await startBillStore('UTC', 1)));
after(() => store.stop());

const COSTS = ['BilledCost', 'EffectiveCost', 'ContractedCost', 'ListCost'] as const;
const STORED = ['billedCost', 'effectiveCost', 'contractedCost', 'listCost'] as const;
const costs = (...values: readonly string[]): FocusRow =>
  Object.fromEntries(COSTS.map((name, i) => [name, values[i] ?? '']));

describe('a cost that a row lacks is', () => {
  const cases: readonly (readonly [
    what: string,
    row: FocusRow,
    stored: readonly number[],
    warned: readonly string[],
  ])[] = [
    ['the billed cost for an effective cost', costs('10', '', '11', '12'), [10, 10, 11, 12], ['EffectiveCost is empty in 1 row: BilledCost counts for it, 10.00 USD']],
    ['the billed cost where an export writes NULL', costs('10', 'NULL', '11', '12'), [10, 10, 11, 12], ['EffectiveCost is empty in 1 row: BilledCost counts for it, 10.00 USD']],
    ['the billed cost for a contracted cost', costs('10', '9', '', '12'), [10, 9, 10, 12], ['ContractedCost is empty in 1 row: BilledCost counts for it, 10.00 USD']],
    ['the contracted cost for a list price', costs('10', '9', '11', ''), [10, 9, 11, 11], ['ListCost is empty in 1 row: ContractedCost counts for it, 11.00 USD']],
    ['the billed cost for all', costs('10'), [10, 10, 10, 10], ['EffectiveCost is empty in 1 row: BilledCost counts for it, 10.00 USD', 'ContractedCost is empty in 1 row: BilledCost counts for it, 10.00 USD', 'ListCost is empty in 1 row: ContractedCost counts for it, 10.00 USD']],
    ['not missing where it is 0', costs('10', '0', '0', '0'), [10, 0, 0, 0], []],
  ]; // prettier-ignore
  for (const [what, row, stored, warned] of cases)
    test(what, async () => {
      const { warnings } = await store.deliver([focusCsv(row, costs('5', '5', '5', '5'))]);
      const rows = await store.rows();
      assert.deepEqual(
        STORED.map((name) => sumOf(rows, name)),
        stored.map((usd) => usd + 5),
      );
      assert.deepEqual(
        warnings.map((text) => text.split(';')[0]),
        warned,
      );
    });

  test('counted over all rows of a delivery, and not in rows that are left out', async () => {
    const [lacking, broken] = [
      costs('10', '', '1', '1'),
      { ...costs('7', '', '1', '1'), Tags: 'x=' },
    ];
    const files = [focusCsv(lacking, broken), focusCsv(lacking, lacking)];
    const { warnings } = await store.deliver(files, { isSkipping: true });
    assert.match(
      warnings.join(),
      /^EffectiveCost is empty in 3 rows: BilledCost counts for it, 30\.00 USD;/,
    );
  });
});

describe('a file', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'prorata-irregular-'))));
  after(() => rm(folder, { recursive: true, force: true }));
  const opened = async (name: string, content: string | Uint8Array): Promise<BillFile> => {
    await writeFile(join(folder, name), content);
    return openBillFile(join(folder, name));
  };
  const bill = focusCsv(costs('10', '10', '10', '10'));
  const other = focusCsv(costs('20', '20', '20', '20'));
  const cases: readonly (readonly [
    what: string,
    files: readonly (readonly [string, string | Uint8Array])[],
    usd: number,
    copies: number,
  ])[] = [
    [
      'named twice counts once',
      [
        ['a.csv', bill],
        ['a.csv', bill],
      ],
      10,
      1,
    ],
    [
      'with copies under other names counts once',
      [
        ['a.csv', bill],
        ['b.csv', bill],
        ['c.csv', bill],
      ],
      10,
      2,
    ],
    [
      'with packed copies counts once',
      [
        ['a.csv.gz', gzipSync(bill)],
        ['b.csv.gz', gzipSync(bill)],
      ],
      10,
      1,
    ],
    [
      'beside itself packed counts once',
      [
        ['a.csv', bill],
        ['a.csv.gz', gzipSync(bill)],
      ],
      10,
      1,
    ],
    [
      'beside another of its name packed counts',
      [
        ['a.csv', bill],
        ['a.csv.gz', gzipSync(other)],
      ],
      30,
      0,
    ],
    [
      'of the same length and other charges counts',
      [
        ['a.csv', bill],
        ['b.csv', other],
      ],
      30,
      0,
    ],
  ];
  for (const [what, named, usd, copies] of cases)
    test(what, async () => {
      const files = await Promise.all(named.map(([name, content]) => opened(name, content)));
      const { warnings } = await store.deliver(files);
      for (const file of files) await file.close();
      assert.equal(sumOf(await store.rows(), 'billedCost'), usd);
      assert.equal(warnings.filter((text) => /is a copy of .*a\.csv/.test(text)).length, copies);
    });
});

describe('an id of a resource is stored', () => {
  const azure = '/subscriptions/S/resourceGroups/RG/providers/Microsoft.Compute';
  const lower = azure.toLowerCase();
  const set = `${azure}/virtualMachineScaleSets/aks-a-1-vmss`;
  const inSet = `${lower}/virtualmachinescalesets/aks-a-1-vmss`;
  const google = '//compute.googleapis.com/projects';
  const cases: readonly (readonly [what: string, row: FocusRow, id: string])[] = [
    ['in lower case where it is of Azure', { ResourceId: `${azure}/disks/D1` }, `${lower}/disks/d1`], // prettier-ignore
    ['as it is where it is of AWS', { ResourceId: 'arn:aws:s3:::Bucket' }, 'arn:aws:s3:::Bucket'],
    ['as a machine of its scale set', { ResourceId: set, x_SkuDetails: '{"VMName":"aks-a-1-vmss_0"}' }, `${inSet}/virtualmachines/0`], // prettier-ignore
    ['as a machine in any case', { ResourceId: set, x_SkuDetails: '{"VMName":"AKS-A-1-VMSS_12"}' }, `${inSet}/virtualmachines/12`], // prettier-ignore
    ['as a machine by its host name', { ResourceId: set, x_SkuDetails: '{"VMName":"aks-a-1-vmss00000a"}' }, `${inSet}/virtualmachines/10`], // prettier-ignore
    ['as a machine by FOCUS 1.1', { ResourceId: set, SkuPriceDetails: '{"x_VMName":"aks-a-1-vmss_3"}' }, `${inSet}/virtualmachines/3`], // prettier-ignore
    ['as its scale set without a machine', { ResourceId: set, x_SkuDetails: '{"VCPUs":4}' }, inSet],
    ['as its scale set where details are no JSON', { ResourceId: set, x_SkuDetails: 'VMName' }, inSet], // prettier-ignore
    ['as it is where a machine names itself', { ResourceId: `${azure}/virtualMachines/m`, x_SkuDetails: '{"VMName":"m"}' }, `${lower}/virtualmachines/m`], // prettier-ignore
    ['with its name where Google numbers it', { ResourceId: `${google}/123/zones/z/instances/456`, ResourceName: 'gke-a', SubAccountId: 'shop' }, `${google}/shop/zones/z/instances/gke-a`], // prettier-ignore
    ['with the project of its id', { ResourceId: `${google}/own/zones/z/disks/456`, ResourceName: 'pvc-1', SubAccountId: 'shop' }, `${google}/own/zones/z/disks/pvc-1`], // prettier-ignore
    ['as it is where Google names it', { ResourceId: `${google}/p/zones/z/instances/gke-a`, ResourceName: 'x' }, `${google}/p/zones/z/instances/gke-a`], // prettier-ignore
  ];
  for (const [what, row, id] of cases)
    test(what, async () => {
      await store.deliver([focusCsv(row)]);
      assert.deepEqual(
        (await store.rows()).map((stored) => stored['providerID']),
        [id],
      );
    });
});

describe('bytes of a file', () => {
  const lines = focusCsv({}, {})
    .split('\n')
    .map((line) => line.split(','));
  // The service comes first, so that a mark before the row is a part of its text.
  const at = lines[0]?.indexOf('ServiceName') ?? NaN;
  const rows = lines
    .filter((cells) => cells.length > 1)
    .map((cells) => [cells[at], ...cells.filter((_, i) => i !== at)].join(','));
  const [names = '', first = '', second = ''] = rows;
  const MARK = '\ufeff';
  const marked: readonly (readonly [what: string, text: string])[] = [
    ['before the header and before the first row', `${MARK}${names}\n${MARK}${first}\n${second}\n`],
    ['twice before the header', `${MARK}${MARK}${names}\n${first}\n${second}\n`],
    ['before a later row', `${names}\n${first}\n${MARK}${second}\n`],
    ['before a quoted name', `${MARK}"ServiceName"${names.slice(11)}\n${first}\n${second}\n`],
    ['within a quoted name', `"${MARK}ServiceName"${names.slice(11)}\n${first}\n${second}\n`],
    [
      'before a quoted cell of the first row',
      `${MARK}${names}\n${MARK}"EC2"${first.slice(3)}\n${second}\n`,
    ],
    ['within a quoted cell', `${names}\n${first}\n"${MARK}EC2"${second.slice(3)}\n`],
  ];
  for (const [what, text] of marked)
    for (const pieceBytes of [65_536, 1])
      test(`have a mark ${what}: it is no part of a text, in pieces of ${pieceBytes}`, async () => {
        await store.deliver([text], { pieceBytes });
        const services = (await store.rows()).map((row) => row['service']);
        assert.deepEqual(services, ['EC2', 'EC2']);
      });

  for (const name of ['ServiceName', 'Tags', 'ResourceName'])
    test(`in another encoding are refused by row and column ${name}, with the fix`, async () => {
      const value = name === 'Tags' ? '{"a":"é"}' : 'Café';
      const latin = Buffer.from(focusCsv({}, { [name]: value }), 'latin1');
      await assert.rejects(store.deliver([latin]), {
        name: 'Fault',
        message: new RegExp(
          `^bill-0\\.csv, row 3, column ${name}: .* is not UTF-8: .*iconv -f WINDOWS-1252 -t UTF-8 FILE`,
        ),
      });
    });

  test('in another encoding do not matter in columns that are not read', async () => {
    await store.deliver([Buffer.from(focusCsv({ Größe: 'é' }), 'latin1')]);
    assert.equal((await store.rows()).length, 1);
  });
});
