/** Assets adjusted by a bill: over real sockets, and against plain sums. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { adjustmentsOf, billableRows, withAdjustments } from '../../src/assets/adjustments.ts';
import { AssetGroups } from '../../src/assets/groups.ts';
import { billKind } from '../../src/billing/deliveries/bill-key.ts';
import type { EncodedSet } from '../../src/storage/index.ts';
import { assetDay, columnsOf, node, type AssetRow } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { DAY_MS, encoded, FIRST_MS, tableOf } from '../support/stores/stored-sets.ts';

type Line = readonly [providerID: string, effectiveCost: number, category?: string];

const KIND = billKind({
  as: 'cloud',
  source: 'aws',
  storedMs: FIRST_MS,
  periodMs: FIRST_MS,
  part: 0,
});

const linesOf = (lines: readonly Line[]): Record<string, string[] | number[]> => ({
  providerID: lines.map(([id]) => id),
  category: lines.map(([, , category = 'Compute']) => category),
  startMs: lines.map(() => FIRST_MS),
  endMs: lines.map(() => FIRST_MS + DAY_MS),
  effectiveCost: lines.map(([, usd]) => usd),
});

const ROWS: readonly AssetRow[] = [
  node('c', 'n1', { providerID: 'aws:///a/i-1', cpuCost: 2, ramCost: 1 }),
  node('c', 'n2', { providerID: 'aws:///a/i-2', cpuCost: 4, ramCost: 1 }),
  { type: 'Disk', cluster: 'c', name: 'pv', providerID: 'vol-1', cost: 3 },
  { type: 'Disk', cluster: 'c', name: 'n1', node: 'n1', isAttached: 1, cost: 0.5 },
  node('c', 'n3', { providerID: 'aws:///a/i-3', cpuCost: 1 }),
  { type: 'Network', cluster: 'c', name: 'n3', node: 'n3', cost: 0.5 },
  { type: 'LoadBalancer', cluster: 'c', name: 'web/front', address: 'x', providerID: 'x', cost: 1 },
];
const BILL: readonly Line[] = [
  ['arn:aws:ec2:eu-west-1:1:instance/i-1', 2.5],
  ['i-1', 0.25, 'Networking'],
  ['arn:aws:ec2:eu-west-1:1:volume/vol-1', 4],
  ['i-3', 0.75, 'Networking'],
  ['elsewhere', 100],
];

interface Asset {
  readonly adjustment: number;
  readonly totalCost: number;
}
interface Body {
  readonly data: readonly Readonly<Record<string, Asset>>[];
  readonly warnings?: readonly string[];
}

describe('assets of a day with a bill', () => {
  let server: OwnServer;
  let folder = '';
  before(async () => {
    const bill = await encoded(
      { kind: KIND, startMs: FIRST_MS, endMs: FIRST_MS + DAY_MS },
      linesOf(BILL),
    );
    const sets: EncodedSet[] = [await assetDay(0, ROWS), await assetDay(1, ROWS), bill];
    folder = await folderOf(sets);
    server = await startOwnServer([
      '--workers=1',
      `--data-dir=${folder}`,
      '--now=2024-05-09T12:00:00Z',
    ]);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (query: string, days: number = 1): Promise<Body> => {
    const until = new Date(FIRST_MS + days * DAY_MS).toISOString();
    const answer = await server.ask(`/model/assets?window=2024-05-01T00:00:00Z,${until}&${query}`);
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text) as Body;
  };
  const shown = ({ data }: Body): Record<string, [number, number]> =>
    Object.fromEntries(
      Object.entries(data[0] ?? {}).map(([key, each]) => [key, [each.adjustment, each.totalCost]]),
    );

  test('billed assets cost what the bill says, others their list cost', async () => {
    assert.deepEqual(shown(await ask('aggregate=type,name')), {
      'Disk/n1': [0, 0.5],
      'Disk/pv': [1, 4],
      'LoadBalancer/web/front': [0, 1],
      // A charge for a node's traffic is a network.
      'Network/n1': [0.25, 0.25],
      'Network/n3': [0.25, 0.75],
      'Node/n1': [-0.5, 2.5],
      'Node/n2': [0, 5],
      'Node/n3': [0, 1],
    });
  });

  test('a page begins with the highest cost as adjusted', async () => {
    const { data } = await ask('aggregate=name&filterTypes=Disk&limit=1');
    assert.deepEqual(Object.keys(data[0] ?? {}), ['pv']);
  });

  test('without adjustments assets and traffic have their list costs', async () => {
    assert.deepEqual(shown(await ask('aggregate=type&disableAdjustments=true')), {
      Disk: [0, 3.5],
      LoadBalancer: [0, 1],
      Network: [0, 0.5],
      Node: [0, 9],
    });
  });

  test('a day that the bill does not tell of yet costs what assets were charged before', async () => {
    const all = shown(await ask('aggregate=cluster&accumulate=true', 2));
    // The node costs 2.5 and not 3, the volume 4 and not 3; traffic is not foretold.
    assert.deepEqual(all, { c: [1 + 0.5, 2 * 14 + 1 + 0.5] });
  });

  test('a second answer is the same, and no memory is held once it was read', async () => {
    const first = await ask('aggregate=type');
    const heldBytes = server.usedBytes();
    assert.deepEqual(await ask('aggregate=type'), first);
    assert.equal(server.usedBytes(), heldBytes);
  });

  test('a damaged bill adjusts nothing, and a warning names it', async () => {
    await server.stop();
    const files = readdirSync(join(folder, 'sets')).filter((name) => name.includes('bill-cloud'));
    assert.equal(files.length, 1);
    const path = join(folder, 'sets', files[0] ?? '');
    const bytes = readFileSync(path);
    for (let at = 64; at < bytes.length / 4; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    server = await startOwnServer([
      '--workers=1',
      `--data-dir=${folder}`,
      '--now=2024-05-09T12:00:00Z',
    ]);
    for (const round of ['found', 'known']) {
      const body = await ask('aggregate=cluster');
      assert.deepEqual(shown(body), { c: [0, 14] }, round);
      assert.match(body.warnings?.join('\n') ?? '', /damaged|bytes written/, round);
    }
    assert.deepEqual(server.errors, []);
  });
});

const id = fc.constantFrom('', 'i-1', 'i-2', 'i-3', 'vol-1');
const cents = fc.integer({ min: 0, max: 1000 });
const PLACES = ['n1', 'n2', 'n3', 'n4'] as const;
/** A set has one row a node, and at most one network each. */
const ofPlace = fc.record({
  node: fc.option(fc.record({ providerID: id, cost: cents })),
  network: fc.option(cents),
});
const other: fc.Arbitrary<AssetRow> = fc.record({
  type: fc.constantFrom('Disk', 'LoadBalancer'),
  providerID: id,
  cost: cents,
});
const rows = fc
  .tuple(fc.array(ofPlace, { maxLength: PLACES.length }), fc.array(other, { maxLength: 5 }))
  .map(([places, others]) => [
    ...others,
    ...places.flatMap(({ node: own, network }, i): AssetRow[] => {
      const place = { cluster: 'c', name: PLACES[i] ?? '', node: PLACES[i] ?? '' };
      return [
        ...(network === null ? [] : [{ type: 'Network', ...place, cost: network }]),
        ...(own === null ? [] : [{ type: 'Node', ...place, ...own }]),
      ];
    }),
  ]);
const line: fc.Arbitrary<Line> = fc.tuple(id, cents, fc.constantFrom('Compute', 'Networking'));

function adjustedUsd(assets: readonly AssetRow[], lines: readonly Line[]): number {
  const table = tableOf(columnsOf(0, assets), assets.length);
  const window = { startMs: FIRST_MS, endMs: FIRST_MS + DAY_MS };
  const bill = [tableOf(linesOf(lines), lines.length)];
  const { adjustments } = adjustmentsOf(billableRows(table), bill, window);
  const groups = new AssetGroups({ keys: [{ column: 'type' }], filter: null });
  for (const each of withAdjustments(table, adjustments)) groups.add(each);
  return groups.all.reduce((sum, { totalCost }) => sum + totalCost, 0);
}

test('the total is what the bill charges plus the list cost of all other assets', () => {
  const property = fc.property(rows, fc.array(line, { maxLength: 10 }), (assets, lines) => {
    const has = (of: string, category?: string): boolean =>
      lines.some(([named, , own]) => named === of && (category ?? own) === own);
    /** A node is billed for itself, its network for its traffic, all else for anything. */
    const isBilled = ({ type, node: place, providerID }: AssetRow): boolean => {
      if (type === 'Node') return providerID !== '' && has(String(providerID), 'Compute');
      if (type !== 'Network') return providerID !== '' && has(String(providerID));
      const own = assets.find((each) => each['type'] === 'Node' && each['node'] === place);
      const of = String(own?.['providerID'] ?? '');
      return of !== '' && has(of, 'Networking');
    };
    const known = new Set(
      assets.map(({ providerID = '' }) => providerID).filter((of) => of !== ''),
    );
    const billed = lines.filter(([of]) => known.has(of)).reduce((sum, [, usd]) => sum + usd, 0);
    const listed = assets.filter((row) => !isBilled(row));
    const expected = listed.reduce((sum, row) => sum + Number(row['cost']), billed);
    const total = adjustedUsd(assets, lines);
    assert.ok(Math.abs(total - expected) < 1e-9 * Math.max(1, total), `${total}, not ${expected}`);
  });
  fc.assert(property, { numRuns: 2000 });
});
