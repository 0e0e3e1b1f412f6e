/** `prorata prices` as a caller sees it: exit code and both streams. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { COMMAND } from '../support/command.ts';

function run(...args: readonly string[]): readonly [number | null, string, string] {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, 'prices', ...args]);
  return [status, stdout.toString(), stderr.toString()];
}

test('one type of one region is a line, with its price, spot price and date', () => {
  const [code, stdout, stderr] = run('show', '--type=M5.large', '--region', 'us-east-1');
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(
    stdout,
    'provider  region     type      cores  GiB  GPUs  USD/h    spot   collected\n' +
      'AWS       us-east-1  m5.large      2    8        0.096  0.0437  2026-11-22\n',
  );
});

test('a type is shown in all of its regions, a region with all of its types', () => {
  const [, regions] = run('show', '--type', 'm5.large', '--provider', 'aws');
  assert.ok(regions.split('\n').length > 30, regions);
  const [, types] = run('show', '--region', 'us-central1');
  assert.ok(types.split('\n').length > 500, String(types.length));
});

test('JSON has numbers, and null for what is not known', () => {
  const [code, stdout] = run('show', '--type', 'Standard_B2s', '--region', 'eastus', '--json');
  assert.equal(code, 0);
  // prettier-ignore
  assert.deepEqual(JSON.parse(stdout), [
    {
      provider: 'Azure', region: 'eastus', name: 'Standard_B2s', cpuCores: 2, ramGiB: 4, gpus: 0,
      gpuModel: '', gpuMemoryGiB: null, usdPerHour: 0.0416, spotUsdPerHour: null, isComputed: false,
      isSharedCore: true, architecture: 'x86', collected: '2026-11-22',
    },
  ]);
});

test('machines that are sold in parts are shown with what all parts cost', () => {
  for (const [type, usd] of [
    ['e2-custom-4-8192', '0.116096'],
    ['ct5lp-hightpu-4t', '4.8'],
  ] as const) {
    const [code, stdout] = run('show', '--type', type, '--region=us-central1');
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(` ${usd} `));
  }
});

test('what is sold in EUR is shown where it is told what a euro costs', () => {
  const [code, stdout] = run('show', '--type=b2-15', '--provider=ovh', '--usd-per-euro=1.5', '--json');
  const [price] = JSON.parse(stdout) as { provider: string; usdPerHour: number }[];
  assert.deepEqual([code, price?.provider], [0, 'OVH']);
  assert.ok(Math.abs((price?.usdPerHour ?? NaN) - 1.5 * 0.1342) < 1e-12, stdout);
  assert.deepEqual(run('show', '--type=b2-15')[0], 1);
}); // prettier-ignore

test('a type without a price ends with 1', () => {
  const [code, stdout] = run('show', '--type', 'm5.huge', '--json');
  assert.deepEqual([code, stdout], [1, '[]\n']);
});

const home = mkdtempSync(join(tmpdir(), 'prorata-prices-'));
after(() => rmSync(home, { recursive: true, force: true }));

const FILE = join(home, 'own.csv');
const ROWS = [
  'provider,region,name,pool,vCPUs,RAMGB,hourlyPrice,cpuCoreHour,ramGiBHour',
  'AWS,us-east-1,m5.large,,2,8,0.096,,',
  ',us-east-1,t3.medium,,2,4,0.0312,,',
  'Hetzner,fsn1,cx22,,2,4,0.0066,,',
  ',,,racks,,,,0.01,0.001',
];

test('a file is compared with the list: what differs, what the list has not, and counts', () => {
  writeFileSync(FILE, ROWS.join('\n'));
  assert.deepEqual(run('diff', FILE), [
    0,
    'provider  region     type       file USD/h  list USD/h   change\n' +
      'AWS       us-east-1  t3.medium      0.0312      0.0416  -25.0 %\n' +
      'Hetzner   fsn1       cx22           0.0066        none\n' +
      '1 the same, 2 not, 1 without a price of a machine\n',
    '',
  ]);
});

test('a comparison as JSON has null for what the list has not', () => {
  writeFileSync(FILE, [ROWS[0], ROWS[1], ROWS[3]].join('\n'));
  const [code, stdout] = run('diff', FILE, '--json');
  const place = { provider: 'Hetzner', region: 'fsn1', name: 'cx22' };
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), {
    differing: [{ ...place, fileUsdPerHour: 0.0066, listUsdPerHour: null, change: null }],
    same: 1,
    notCompared: 0,
  });
});

test('a file that is not there ends with 1 and is named', () => {
  const [code, , stderr] = run('diff', join(home, 'none.csv'));
  assert.equal(code, 1);
  assert.match(stderr, /^prorata: prices diff: cannot read \S+none\.csv as UTF-8: ENOENT/);
});

test('--help has examples', () => {
  const [code, stdout] = run('--help');
  assert.equal(code, 0);
  assert.match(stdout, /prorata prices show --type m5\.large/);
});

describe('wrong usage ends with 2 and is named:', () => {
  // prettier-ignore
  for (const [args, message] of [
    [[], "prorata: '' is not a verb of prices\nprorata prices show\n"],
    [['shwo'], "prorata: 'shwo' is not a verb of prices\nprorata prices show\n"],
    [['show'], 'prorata: prices show needs a type or a region\nfor example --type m5.large\n'],
    [['diff'], 'prorata: prices diff needs one file\nprorata prices diff node-types.csv\n'],
    [['diff', 'a', 'b'], 'prorata: prices diff needs one file\nprorata prices diff node-types.csv\n'],
    [['diff', 'a', '--type=b'], 'prorata: --type is not a flag of prices diff\n'],
    [['show', '--type=a', '--usd-per-euro=0'], "prorata: --usd-per-euro: '0' is not a price in USD, above 0\nfor example 1.15\n"],
    [['show', '--typ=a'], "prorata: unknown flag --typ=a\ndid you mean '--type'?\n"],
    [['show', '--type', 'a', '--provider', 'Azur'], "prorata: --provider: 'Azur' has no list prices\ndid you mean 'Azure'?\n"],
  ] as const) {
    test(`'${args.join(' ')}'`, () => {
      assert.deepEqual(run(...args), [2, '', message]);
    });
  }
});

describe('prices update', () => {
  const folder = join(home, 'data');
  const newer = (...rows: readonly string[]): string => {
    const path = join(home, 'newer.csv');
    writeFileSync(path, ['provider,region,name,vCPUs,RAMGB,hourlyPrice', ...rows, ''].join('\n'));
    return path;
  };

  test('keeps prices that a server and the command then use, and replaces those of before', () => {
    const [code, told, stderr] = run(
      'update',
      newer('AWS,us-east-1,m5.large,2,8,0.09', 'AWS,us-east-1,m9.large,2,8,0.2'),
      `--data-dir=${folder}`,
    );
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(told, /^2 prices of \d{4}-\d\d-\d\d are in .*prices\.json\n$/);
    const shown = (type: string): unknown => {
      const [, stdout] = run('show', '--type', type, '--region', 'us-east-1', '--json', '--data-dir', folder);
      return (JSON.parse(stdout) as { usdPerHour: number }[]).map(({ usdPerHour }) => usdPerHour);
    };
    assert.deepEqual([shown('m5.large'), shown('M9.LARGE'), shown('m5.xlarge')], [[0.09], [0.2], [0.192]]);
    run('update', newer('AWS,us-east-1,m5.large,2,8,0.08'), '--data-dir', folder);
    assert.deepEqual([shown('m5.large'), shown('m9.large')], [[0.08], []]);
  }); // prettier-ignore

  const REFUSED: readonly (readonly [name: string, row: string, told: RegExp])[] = [
    ['a row without a provider', ',us-east-1,m5.large,2,8,0.1', /row 2, column provider: '' is not a name/],
    ['a row without a region', 'AWS,,m5.large,2,8,0.1', /row 2, column region: '' is not a name/],
    ['a price of 0', 'AWS,us-east-1,m5.large,2,8,0', /row 2, column hourlyPrice: '0' is not a price/],
    ['an absurd price', 'AWS,us-east-1,m5.large,2,8,1e6', /row 2, column hourlyPrice: '1e6' is not a price/],
  ]; // prettier-ignore
  for (const [name, row, told] of REFUSED)
    test(`${name} is refused, and what was kept stays`, () => {
      run('update', newer('AWS,us-east-1,m5.large,2,8,0.07'), '--data-dir', folder);
      const [code, stdout, stderr] = run('update', newer(row), '--data-dir', folder);
      assert.deepEqual([code === 0, stdout], [false, '']);
      assert.match(stderr, told);
      const [, kept] = run('show', '--type=m5.large', '--region=us-east-1', '--data-dir', folder);
      assert.match(kept, / 0\.07 /);
    });

  test('a folder is needed, and a file', () => {
    assert.match(run('update', newer('AWS,r,n,1,1,1'))[2], /prices update needs --data-dir/);
    assert.match(run('update', '--data-dir', folder)[2], /prices update needs one file/);
    assert.match(run('update', join(home, 'none.csv'), '--data-dir', folder)[2], /none\.csv/);
  });
});
