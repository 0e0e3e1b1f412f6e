/** Answers over stored days with assets and a bill, through the whole server. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ALLOCATION_COLUMNS } from '../../../src/allocation/sets/set-files.ts';
import { ASSET_COLUMNS } from '../../../src/assets/columns.ts';
import { BILL_COLUMNS } from '../../../src/billing/deliveries/index.ts';
import { billKind } from '../../../src/billing/deliveries/bill-key.ts';
import { storedWarnings, warning } from '../../../src/query/index.ts';
import { encodeSet, openArrowFiles, type EncodedSet } from '../../../src/storage/index.ts';
import { tableOfRows, type Row } from '../../support/fleets/charged-fleet.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { DAY_MS, FIRST_MS, META, newArena } from '../../support/stores/stored-sets.ts';

const DAYS = [0, 1, 2];
const WINDOW = `window=${new Date(FIRST_MS).toISOString()},${new Date(FIRST_MS + 3 * DAY_MS).toISOString()}`; // prettier-ignore
const NOW = `--now=${new Date(FIRST_MS + 10 * DAY_MS).toISOString()}`;

type Numbers = Readonly<Record<string, number>>;
interface Answered {
  readonly data: readonly Readonly<Record<string, Numbers>>[];
  readonly message?: string;
  readonly nodeCosts?: Numbers;
  readonly warnings?: readonly string[];
  readonly warningDetails?: readonly { readonly message: string; readonly cost: number | null }[];
  readonly uncertainCost?: number;
  readonly partial?: boolean;
}

const times = (day: number): Row => ({
  startMs: FIRST_MS + day * DAY_MS,
  endMs: FIRST_MS + (day + 1) * DAY_MS,
});
const rowsOf = (day: number): Row[] => {
  const row = (namespace: string, more: Row): Row => ({
    cluster: 'c', node: 'n', namespace, pod: `${namespace}-1`, container: 'k',
    endSource: 'running', ...times(day), ...more,
  }); // prettier-ignore
  const pvs = '{"cluster=c:name=v":{"byteHours":24,"cost":6,"providerID":"vol-1","adjustment":0}}';
  return [
    row('shop', { priceSource: 'list', cpuCost: 4, ramCost: 2, pvCost: 6, pvs }),
    row('web', { priceSource: 'list', cpuCost: 2, ramCost: 2, loadBalancerCost: 3, services: '["front"]' }),
    { cluster: 'c', node: 'n', container: '__idle__', endSource: 'running', ...times(day), cpuCost: 4, ramCost: 1 },
  ]; // prettier-ignore
};
const ASSETS: readonly Row[] = [
  { type: 'Node', cluster: 'c', name: 'n', node: 'n', providerID: 'aws:///eu-1a/i-1', priceSource: 'list', cpuCost: 10, ramCost: 5, cost: 15 },
  { type: 'Disk', cluster: 'c', name: 'v', providerID: 'aws://eu-1a/vol-1', cost: 6, byteHours: 24 },
  { type: 'LoadBalancer', cluster: 'c', name: 'web/front', providerID: 'front-1.elb.eu-1.amazonaws.com', cost: 3 },
  { type: 'ClusterManagement', cluster: 'c', name: 'management', cost: 2.4 },
  { type: 'Disk', cluster: 'c', name: 'n', node: 'n', isAttached: 1, cost: 0.6 },
]; // prettier-ignore
const assetsOf = (day: number): Row[] => ASSETS.map((asset) => ({ ...asset, ...times(day) }));

async function encode(
  kind: string,
  [startMs, endMs]: readonly [number, number],
  rows: readonly Row[],
  columns: { readonly texts: readonly string[]; readonly numbers: readonly string[] },
  source: string = 'a store',
  warnings: Parameters<typeof storedWarnings>[0] = [],
): Promise<EncodedSet> {
  const meta = { ...META, timezone: 'UTC', source, ...storedWarnings(warnings) };
  const all = columns.numbers.map((name) => [name, 0] as const);
  const table = tableOfRows(rows.map((row) => ({ ...Object.fromEntries(all), ...row })));
  return encodeSet({ key: { kind, startMs, endMs }, meta, table, ...columns });
}

async function write(folder: string, sets: readonly EncodedSet[]): Promise<void> {
  const store = await openArrowFiles({ folder, arena: newArena(), note: () => undefined });
  await store.write(sets);
  await store.close();
}

/**
 * @param machineUsd of a day
 * @param untilMs where its last line ends
 */
async function billOf(
  machineUsd: number,
  days: readonly number[],
  untilMs: number = FIRST_MS + 3 * DAY_MS,
): Promise<EncodedSet> {
  const lines = days.flatMap((day) =>
    [
      { providerID: 'arn:aws:ec2:eu-1:1:instance/i-1', effectiveCost: machineUsd },
      { providerID: 'arn:aws:ec2:eu-1:1:volume/vol-1', effectiveCost: 9 },
      { providerID: 'arn:aws:ec2:eu-1:1:instance/i-other', effectiveCost: 1000 },
    ].map((line) => ({
      category: 'Compute',
      ...line,
      startMs: FIRST_MS + day * DAY_MS,
      endMs: Math.min(FIRST_MS + (day + 1) * DAY_MS, untilMs),
    })),
  );
  const kind = billKind({ as: 'cloud', source: 'aws', periodMs: FIRST_MS, storedMs: machineUsd, part: 0 }); // prettier-ignore
  return await encode(kind, [FIRST_MS, untilMs], lines, BILL_COLUMNS);
}

describe('answers over days with assets', () => {
  const root = mkdtempSync(join(tmpdir(), 'prorata-reconciled-'));
  const folders = {
    none: join(root, 'none'),
    bill: join(root, 'bill'),
    some: join(root, 'some'),
    noon: join(root, 'noon'),
  };
  const servers = new Map<string, BundleServer>();

  before(async () => {
    const days = await Promise.all(
      DAYS.flatMap((day) => {
        const span = [FIRST_MS + day * DAY_MS, FIRST_MS + (day + 1) * DAY_MS] as const;
        return [
          encode('allocations', span, rowsOf(day), ALLOCATION_COLUMNS),
          encode('assets', span, assetsOf(day), ASSET_COLUMNS),
        ];
      }),
    );
    await write(folders.none, days);
    await write(folders.bill, [...days, await billOf(30, DAYS)]);
    await write(folders.some, [...days, await billOf(30, [1])]);
    await write(folders.noon, [...days, await billOf(15, [0], FIRST_MS + DAY_MS / 2)]);
    for (const [name, folder] of Object.entries(folders)) {
      servers.set(name, await startBundleServer([NOW, `--data-dir=${folder}`, '--workers=1']));
    }
  });
  after(async () => {
    for (const server of servers.values()) await server.stop();
    rmSync(root, { recursive: true });
  });

  const ask = async (name: keyof typeof folders, query: string): Promise<Answered> => {
    const server = servers.get(name);
    if (!server) throw new Error(`there is no server ${name}`);
    const { status, text } = await server.ask(`/model/allocation?${WINDOW}&${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Answered;
  };
  const near = (actual: number | undefined, expected: number, what: string): void =>
    assert.ok(Math.abs((actual ?? NaN) - expected) < 1e-9, `${what}: ${actual} is not ${expected}`);
  const totalOf = ({ data }: Answered): number =>
    data
      .flatMap((set) => Object.values(set))
      .reduce((sum, row) => sum + (row['totalCost'] ?? 0), 0);

  test('without a bill adjustments are 0, overhead is shared, and the answer says so', async () => {
    const answer = await ask('none', 'aggregate=namespace&accumulate=true');
    assert.match(answer.message ?? '', /^no cloud bill tells of the assets of the window/);
    assert.equal(answer.warnings, undefined);
    const [rows = {}] = answer.data;
    near(rows['shop']?.['sharedCost'], 4.5, 'half of management and disks of three days');
    near(rows['web']?.['sharedCost'], 4.5, 'the other half');
    near(rows['shop']?.['cpuCostAdjustment'], 0, 'adjustment');
    near(totalOf(answer), 3 * 27, 'assets of three days');
  });

  test('overhead is not shared, and bills give no warning, where that is switched off', async () => {
    const answer = await ask(
      'none',
      'aggregate=namespace&accumulate=true&reconcile=false&shareTenancyCosts=false',
    );
    assert.equal(answer.message, undefined);
    near(totalOf(answer), 3 * 24, 'without overhead');
  });

  test('a bill corrects nodes and volumes; idle is the rest; what is not billed is told', async () => {
    const answer = await ask('bill', 'aggregate=namespace&accumulate=true');
    assert.equal(answer.message, undefined);
    assert.deepEqual(answer.warnings, [
      'the cloud bill tells of 6 of 12 nodes, disks and load balancers, each set counted by itself: ' +
        'the others stay at list price',
    ]);
    const [rows = {}] = answer.data;
    near(rows['shop']?.['cpuCostAdjustment'], 12, 'CPU costs twice its list price');
    near(rows['shop']?.['ramCostAdjustment'], 6, 'RAM too');
    near(rows['shop']?.['pvCostAdjustment'], 9, 'the volume costs 9 and not 6');
    near(rows['web']?.['loadBalancerCostAdjustment'], 0, 'not billed');
    near(rows['__idle__']?.['cpuCostAdjustment'], 12, 'idle is what is left');
    near(totalOf(answer), 3 * (30 + 9 + 3 + 3), 'what everything costs');
  });

  test('rows as they are stored tell the adjustment of each volume', async () => {
    const answer = await ask('bill', 'reconcile=true');
    const row = answer.data[0]?.['c/n/shop/shop-1/k'] as unknown as {
      pvs: Readonly<Record<string, Numbers>>;
      pvCostAdjustment: number;
    };
    near(row.pvCostAdjustment, 3, 'the row');
    near(row.pvs['cluster=c:name=v']?.['adjustment'], 3, 'its only volume');
    near(totalOf(answer), 3 * 45, 'the whole');
  });

  test('a day after the bill costs what it charged last, a day before it its list price', async () => {
    const answer = await ask('some', 'aggregate=cluster');
    const told = (answer.warnings ?? []).join();
    assert.match(told, /^2 nodes.* of 1 of 3 sets are not in the cloud bill yet: they cost what it charged last/);
    assert.match(told, /tells of 4 of 12/);
    near(answer.data[1]?.['c']?.['cpuCostAdjustment'], 6, 'the day of the bill');
    near(answer.data[0]?.['c']?.['cpuCostAdjustment'], 6, 'the day after it');
    const sources = answer.data.map((set) => (set['c'] as unknown as { priceSource: string }).priceSource);
    assert.deepEqual(sources, ['recentBill', 'bill', 'list']);
    assert.deepEqual(answer.nodeCosts, { bill: 30, list: 15, recentBill: 30 });
    near(answer.data[2]?.['c']?.['cpuCostAdjustment'], 0, 'the day before it');
  }); // prettier-ignore

  test('the rest of the first day of a bill, which ends at noon, costs what the morning did', async () => {
    const answer = await ask('noon', 'aggregate=cluster');
    near(answer.data[2]?.['c']?.['cpuCostAdjustment'], 6, 'twice 15 for list prices of 15');
    assert.match((answer.warnings ?? []).join(), /of 3 of 3 sets are not in the cloud bill yet/);
  });

  test('what tenants share has names of its own in the breakdown, over days too', async () => {
    const query = 'aggregate=namespace&accumulate=true&includeSharedCostBreakdown=true&shareCost=30.42';
    const answer = await ask('none', query);
    const row = answer.data[0]?.['web'] as unknown as {
      sharedCost: number;
      sharedCostBreakdown: Readonly<Record<string, { totalCost: number }>>;
    };
    near(row.sharedCostBreakdown['clusterManagement']?.totalCost, 3.6, 'management');
    near(row.sharedCostBreakdown['attachedDisks']?.totalCost, 0.9, 'disks');
    const parts = Object.values(row.sharedCostBreakdown).reduce((sum, { totalCost }) => sum + totalCost, 0);
    near(parts, row.sharedCost, 'all that is shared');
  }); // prettier-ignore

  test('a filter and its complement, and what is shared, add up to the whole', async () => {
    const whole = totalOf(await ask('bill', 'aggregate=namespace'));
    const some = totalOf(await ask('bill', 'aggregate=namespace&filter=namespace:"shop"'));
    const others = totalOf(await ask('bill', 'aggregate=namespace&filter=namespace!:"shop"'));
    near(some + others, whole, 'a filter');
    near(totalOf(await ask('bill', 'aggregate=namespace&shareNamespaces=web')), whole, 'shared');
    near(totalOf(await ask('bill', 'aggregate=namespace&shareIdle=true')), whole, 'idle shared');
  });

  test('the same bytes from 1, 2 and 4 workers', async () => {
    for (const query of ['aggregate=namespace', 'format=csv&columns=full', 'aggregate=node&shareIdle=true']) {
      const first = await servers.get('bill')?.ask(`/model/allocation?${WINDOW}&${query}`);
      for (const workers of [2, 4]) {
        const copy = join(root, `${workers} workers of ${query.length}`);
        cpSync(folders.bill, copy, { recursive: true });
        const server = await startBundleServer([NOW, `--data-dir=${copy}`, `--workers=${workers}`]);
        try {
          const { text } = await server.ask(`/model/allocation?${WINDOW}&${query}`);
          assert.equal(text, first?.text, `${query} with ${workers} workers`);
        } finally {
          await server.stop();
        }
      }
    }
  }); // prettier-ignore

  test('assets that were not stored with the rows charge nothing: an imported day keeps its own', async () => {
    const folder = join(root, 'imported');
    cpSync(folders.bill, folder, { recursive: true });
    const span = [FIRST_MS, FIRST_MS + DAY_MS] as const;
    await write(folder, [
      await encode('allocations', span, rowsOf(0), ALLOCATION_COLUMNS, 'import'),
    ]);
    const server = await startBundleServer([NOW, `--data-dir=${folder}`, '--workers=1']);
    try {
      const { text } = await server.ask(`/model/allocation?${WINDOW}&aggregate=cluster`);
      const answer = JSON.parse(text) as Answered;
      near(answer.data[2]?.['c']?.['totalCost'], 19, 'the imported day');
      near(answer.data[1]?.['c']?.['cpuCostAdjustment'], 6, 'the day after it');
      assert.match((answer.warnings ?? []).join(), /1 of 3 sets have no cloud bill/);
    } finally {
      await server.stop();
    }
  });

  test('a bill that is damaged on disk reconciles nothing, and is told of; overhead is still shared', async () => {
    const folder = join(root, 'damaged');
    cpSync(folders.bill, folder, { recursive: true });
    const sets = join(folder, 'sets');
    const bill = readdirSync(sets).find((name) => name.includes('bill'));
    if (bill === undefined) throw new Error(`no bill among ${readdirSync(sets).join()}`);
    const bytes = readFileSync(join(sets, bill));
    writeFileSync(
      join(sets, bill),
      bytes.map((byte, i) => (i > 8 && i < bytes.length / 2 ? byte ^ 255 : byte)),
    );
    const server = await startBundleServer([NOW, `--data-dir=${folder}`, '--workers=1']);
    try {
      const { text } = await server.ask(
        `/model/allocation?${WINDOW}&aggregate=namespace&accumulate=true`,
      );
      const answer = JSON.parse(text) as Answered;
      assert.match((answer.warnings ?? []).join(), /damaged/);
      near(totalOf(answer), 3 * 27, 'list prices, and overhead');
    } finally {
      await server.stop();
    }
  });

  test('other formats tell of it in headers', async () => {
    const url = (name: string): string =>
      `${servers.get(name)?.url}/model/allocation?${WINDOW}&format=csv`;
    const without = await fetch(url('none'));
    assert.match(without.headers.get('x-prorata-message') ?? '', /no cloud bill/);
    const billed = await fetch(url('bill'));
    assert.match(billed.headers.get('x-prorata-warnings') ?? '', /tells of 6 of 12/);
    const [, idle = ''] = (await billed.text()).split('\n');
    assert.equal(idle.split(',')[1], '24', 'idle CPU with its adjustment');
  });
});

function near(actual: number | undefined, expected: number): void {
  const isNear = Math.abs((actual ?? NaN) - expected) < 1e-9 * expected;
  assert.ok(isNear, `${actual}, not ${expected}`);
}

/** A volume that nobody claims, a node of no known type, and what the bill says of each day. */
const UNCLAIMED = {
  listed: { volume: 22.6, node: 15, gap: 3 },
  billed: { volume: 20.34, node: 30 },
} as const;

describe('warnings about rows that a bill adjusts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-warned-'));
  let server: BundleServer;

  before(async () => {
    const { listed, billed } = UNCLAIMED;
    const pvs = `{"cluster=c:name=w":{"byteHours":24,"cost":${listed.volume},"providerID":"vol-w","adjustment":0}}`;
    const unmounted = { cluster: 'c', namespace: '__unmounted__', pod: '__unmounted__', container: '__unmounted__', endSource: 'running', pvCost: listed.volume, pvs }; // prettier-ignore
    const disk = { type: 'Disk', cluster: 'c', name: 'w', providerID: 'aws://eu-1a/vol-w', cost: listed.volume, byteHours: 24 }; // prettier-ignore
    const warnings = [
      warning(`volumes held by no claim: 1; $${listed.volume.toFixed(8)} is charged to __unmounted__`, { cost: listed.volume, clusters: ['c'], assets: ['Disk/c/w'] }),
      warning('nodes of 1 type with no list price (x9 (1)): 1; they cost the price book', { cost: listed.node, nodes: ['c/n'], assets: ['Node/c/n'] }),
      warning(`1 pods have gaps; $${listed.gap.toFixed(8)} is not charged`, { cost: listed.gap, nodes: ['c/n'] }),
    ]; // prettier-ignore
    const days = await Promise.all(
      DAYS.flatMap((day) => {
        const span = [FIRST_MS + day * DAY_MS, FIRST_MS + (day + 1) * DAY_MS] as const;
        const rows = [...rowsOf(day), { ...unmounted, ...times(day) }];
        const assets = [...assetsOf(day), { ...disk, ...times(day) }];
        return [
          encode('allocations', span, rows, ALLOCATION_COLUMNS, 'a store', warnings),
          encode('assets', span, assets, ASSET_COLUMNS, 'a store', warnings),
        ];
      }),
    );
    const lines = DAYS.flatMap((day) => [
      { category: 'Compute', providerID: 'i-1', effectiveCost: billed.node, ...times(day) },
      { category: 'Storage', providerID: 'vol-w', effectiveCost: billed.volume, ...times(day) },
    ]);
    const kind = billKind({ as: 'cloud', source: 'aws', periodMs: FIRST_MS, storedMs: 1, part: 0 });
    const whole = [FIRST_MS, FIRST_MS + 3 * DAY_MS] as const;
    await write(folder, [...days, await encode(kind, whole, lines, BILL_COLUMNS)]);
    server = await startBundleServer([NOW, `--data-dir=${folder}`, '--workers=1']);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  for (const reconcile of [true, false])
    test(`have the money of the ${reconcile ? 'bill' : 'list'}, of all days`, async () => {
      const query = `${WINDOW}&aggregate=namespace&accumulate=true&reconcile=${reconcile}`;
      const { status, text } = await server.ask(`/model/allocation?${query}`);
      assert.equal(status, 200, text);
      const { data, warningDetails = [], uncertainCost } = JSON.parse(text) as Answered;
      const usd = reconcile ? UNCLAIMED.billed : UNCLAIMED.listed;
      const costOf = (start: string): number =>
        warningDetails.find(({ message }) => message.includes(start))?.cost ?? NaN;
      const all = 3 * (usd.volume + usd.node + UNCLAIMED.listed.gap);
      for (const [actual, expected] of [
        [data[0]?.['__unmounted__']?.['totalCost'], 3 * usd.volume],
        [costOf('held by no claim'), 3 * usd.volume],
        [costOf('no list price'), 3 * usd.node],
        [costOf('is not charged'), 3 * UNCLAIMED.listed.gap],
        [uncertainCost, all],
      ] as const)
        near(actual, expected);
      const shown = `volumes held by no claim: 1; $${(3 * usd.volume).toFixed(2)} is charged to __unmounted__`;
      assert.ok(
        warningDetails.some(({ message }) => message === shown),
        text,
      );
      assert.ok(!text.includes('Disk/c/w'), 'names of assets are not in answers');
    });

  const days = `${new Date(FIRST_MS).toISOString()},${new Date(FIRST_MS + 3 * DAY_MS).toISOString()}`;
  const dayBefore = `${new Date(FIRST_MS - DAY_MS).toISOString()},${new Date(FIRST_MS).toISOString()}`;
  for (const [path, query] of [
    ['/model/assets', `window=${days}&accumulate=true`],
    ['/model/assets', `window=${days}&accumulate=true&format=csv`],
    ['/model/assets/topline', `window=${days}&accumulate=true`],
    ['/model/assets/diff', `before=${dayBefore}&after=${days}`],
  ] as const)
    for (const isAdjusted of [true, false]) {
      const money = isAdjusted ? 'bill' : 'list';
      test(`${path}?${query.replace(/.*&/, '')} warns with the money of the ${money}`, async () => {
        const asked = `${server.url}${path}?${query}&disableAdjustments=${!isAdjusted}`;
        const answer = await fetch(asked);
        const { headers } = answer;
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        const usd = isAdjusted ? UNCLAIMED.billed : UNCLAIMED.listed;
        const shown = `1; $${(3 * usd.volume).toFixed(2)} is charged to __unmounted__`;
        const all = 3 * (usd.volume + usd.node + UNCLAIMED.listed.gap);
        const csv = headers.get('x-prorata-uncertain-cost');
        near(csv === null ? (JSON.parse(text) as Answered).uncertainCost : Number(csv), all);
        assert.ok((headers.get('x-prorata-warnings') ?? text).includes(shown), text);
        assert.ok(!text.includes('Disk/c/w'), 'names of assets are not in answers');
      });
    }
});
