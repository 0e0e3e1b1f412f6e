/** Savings over real sockets: stored disks and nodes, gauges of the demo store, no store, and mistakes. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { CATEGORIES } from '../../src/savings/attribution.ts';
import { errorOf, startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { assetDay, node } from '../support/stores/asset-days.ts';
import { folderOf } from '../support/stores/columns-folder.ts';

const GIB = 2 ** 30;
/** A day of a volume of 1000 GiB for 2.40 USD. */
const VOLUME = { type: 'Disk', cluster: 'production', byteHours: 24_000 * GIB, cost: 2.4 };
const ASSETS = [
  node('production', 'n', { cpuCost: 2, cpuCoreHours: 48, ramByteHours: 24 * 8 * GIB }),
  { ...VOLUME, name: 'kafka', volume: 'kafka', claim: 'data-kafka-0', claimNamespace: 'data' },
  { ...VOLUME, name: 'left', volume: 'left' },
  { ...VOLUME, name: 'strange', volume: 'strange', claim: 'nobody', claimNamespace: 'data' },
];
const FLAGS = ['--workers=1', '--timezone=UTC', '--now=2024-05-02T12:00:00Z'];

interface Recommendation {
  readonly [field: string]: unknown;
}
interface Body {
  readonly data: Readonly<Record<string, unknown>> & {
    readonly totalMonthlySavings: number;
    readonly recommendations: readonly Recommendation[];
  };
  readonly totalSavingsPerMonth: number;
  readonly warnings?: readonly string[];
  readonly partial?: boolean;
}

let folder = '';
let server: OwnServer;
before(async () => {
  folder = await folderOf([await assetDay(0, ASSETS)]);
  server = await startOwnServer([`--data-dir=${folder}`, '--demo=true', ...FLAGS]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function bodyOf(path: string, of: OwnServer = server): Promise<Body> {
  const { status, text } = await of.ask(path);
  assert.equal(status, 200, text);
  return JSON.parse(text) as Body;
}

const DAY = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const close = (actual: unknown, expected: number): void =>
  assert.ok(Math.abs(Number(actual) - expected) < 1e-9, `${String(actual)}, not ${expected}`);

test('a volume that nobody claims saves all that it costs', async () => {
  const { data } = await bodyOf(`/model/savings/unclaimedVolumes?${DAY}`);
  assert.deepEqual(
    data.recommendations.map(({ volumeName }) => volumeName),
    ['left'],
  );
  close(data.totalMonthlySavings, 73);
  close(data.recommendations[0]?.['capacityBytes'], 1000 * GIB);
});

test('a volume is sized by what the store tells was on it; others are told', async () => {
  const { data, warnings = [] } = await bodyOf(`/savings/persistentVolumeSizing?${DAY}&headroom=1`);
  const [kafka, ...others] = data.recommendations;
  assert.deepEqual([kafka?.['volumeName'], others], ['kafka', []]);
  const used = Number(kafka?.['maxUsedBytes']);
  assert.ok(used > 100 * GIB && used < 700 * GIB, String(used));
  const recommended = Math.ceil((2 * used) / GIB);
  close(kafka?.['recommendedCapacityBytes'], recommended * GIB);
  close(data.totalMonthlySavings, 73 * (1 - recommended / 1000));
  assert.ok(warnings.some((text) => text.startsWith('the use of 1 disk is not known')));
});

test('quotas of the store are sized by what was used', async () => {
  const { data } = await bodyOf('/model/savings/resourceQuotaSizing/recommendations?window=1d');
  assert.ok(data.recommendations.length > 4);
  for (const { resource, hard, maxUsed, utilization, recommendedHard } of data.recommendations) {
    close(utilization, 0.25);
    close(maxUsed, Number(hard) / 4);
    const scale = resource === 'requests.cpu' ? 10 : 1;
    const least = Math.ceil(Math.round(1e9 * (Number(maxUsed) / 0.8) * scale) / 1e9) / scale;
    close(recommendedHard, least);
  }
});

test('the total of all savings is the sum of what each is given, and never more than each alone', async () => {
  const { data, totalSavingsPerMonth } = await bodyOf(`/model/savings?${DAY}`);
  const categories = Object.entries(data) as unknown as readonly (readonly [
    string,
    { readonly savingsPerMonth: number; readonly savingsPerMonthAlone: number },
  ])[];
  assert.deepEqual(
    categories.map(([name]) => name),
    [...CATEGORIES],
  );
  close(
    categories.reduce((sum, [, { savingsPerMonth }]) => sum + savingsPerMonth, 0),
    totalSavingsPerMonth,
  );
  const alone = new Map(categories.map(([name, each]) => [name, each.savingsPerMonthAlone]));
  close(alone.get('unclaimedVolumes'), 73);
  assert.ok((alone.get('persistentVolumeSizing') ?? 0) > 0);
  assert.ok((alone.get('nodeGroupSizing') ?? NaN) >= 0);
});

test('without pods nothing is abandoned, and the list says what it lacks', async () => {
  const reply = await fetch(`${server.url}/model/savings/abandonedWorkloads`);
  assert.equal(await reply.text(), '[]');
  assert.match(reply.headers.get('x-prorata-warnings') ?? '', /not stored/);
});

describe('without a metrics store', () => {
  let without: OwnServer;
  before(async () => {
    await server.stop();
    without = await startOwnServer([`--data-dir=${folder}`, '--demo=false', ...FLAGS]);
  });
  after(() => without.stop());

  test('what needs one names the setting', async () => {
    for (const path of [
      'persistentVolumeSizing',
      'localLowDisks',
      'resourceQuotaSizing/recommendations',
    ]) {
      const answer = await without.ask(`/savings/${path}?${DAY}`);
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.text, /--metrics-url/);
    }
  });

  test('the overview leaves out what needs one, and says so', async () => {
    const { data, partial, warnings = [] } = await bodyOf(`/savings?${DAY}`, without);
    const left = ['persistentVolumeSizing', 'localLowDisks'];
    assert.deepEqual(
      Object.keys(data),
      CATEGORIES.filter((name) => !left.includes(name)),
    );
    assert.equal(partial, true);
    for (const name of left)
      assert.ok(warnings.some((text) => text.startsWith(`${name} is left out`)));
  });

  const REFUSED: readonly (readonly [path: string, parameter: string])[] = [
    ['?window=soon', 'window'],
    ['/abandonedWorkloads?days=0', 'days'],
    ['/abandonedWorkloads?days=1.5', 'days'],
    ['/abandonedWorkloads?threshold=-1', 'threshold'],
    ['/abandonedWorkloads?filter=shop:a', 'filter'],
    ['/abandonedWorkloads?limit=few', 'limit'],
    ['/unclaimedVolumes?filterTypes=Dusk', 'filterTypes'],
    ['/persistentVolumeSizing?headroom=much', 'headroom'],
    ['/localLowDisks?threshold=2', 'threshold'],
    ['/resourceQuotaSizing/recommendations?targetUtilization=0', 'targetUtilization'],
    ['/nodeGroupSizing/recommendations?minNodeCount=0', 'minNodeCount'],
  ];
  for (const [path, parameter] of REFUSED)
    test(`${path} is refused by its ${parameter}`, async () => {
      const answer = await without.ask(`/model/savings${path}`);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(errorOf(answer).parameter, parameter);
    });
});
