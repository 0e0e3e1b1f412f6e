/** The list prices that come with the program, beside a plain reading of their files. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  listPrice,
  listPricesCollected,
  listPricesIn,
  regionRates,
  usualTypes,
} from '../../src/pricing/index.ts';

const PROVIDERS = ['AWS', 'Azure', 'DigitalOcean', 'GCP'];

/** A file as cells, its first line aside. */
function cellsOf(file: string): string[][] {
  const path = new URL(`../../src/pricing/list/${file}.csv`, import.meta.url);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.slice(1).map((line) => line.split(','));
}

/** The prices of a file: type, region and the price as it stands there. */
function written(
  file: string,
  firstRegion: number,
): { name: string; region: string; cell: string }[] {
  const [header = [], ...rows] = cellsOf(file);
  return rows.flatMap(([name = '', ...cells]) =>
    cells.flatMap((cell, i) => {
      const region = header[i + 1] ?? '';
      return i + 1 < firstRegion || cell === '' ? [] : [{ name, region, cell }];
    }),
  );
}

// prettier-ignore
const KNOWN: readonly (readonly [provider: string, region: string, name: string, usdPerHour: number])[] = [
  ['AWS', 'us-east-1', 'm5.large', 0.096], ['AWS', 'us-east-1', 'c5.xlarge', 0.17],
  ['AWS', 'us-east-1', 't3.medium', 0.0416], ['AWS', 'us-east-1', 'p5.48xlarge', 55.04],
  ['AWS', 'eu-central-1', 'm5.large', 0.115], ['AWS', 'us-west-2', 'g5.xlarge', 1.006],
  ['Azure', 'eastus', 'Standard_D4s_v5', 0.192], ['Azure', 'eastus', 'Standard_ND96isr_H100_v5', 98.32],
  ['Azure', 'westeurope', 'Standard_D2s_v5', 0.115], ['GCP', 'us-central1', 'e2-standard-4', 0.134023],
  ['GCP', 'us-central1', 'a2-highgpu-1g', 3.673385], ['GCP', 'us-central1', 'g2-standard-4', 0.706832],
];

describe('a list price', () => {
  for (const [provider, region, name, usdPerHour] of KNOWN) {
    test(`is the published one for ${name} of ${provider} ${region}`, () => {
      assert.equal(listPrice(provider, region, name)?.usdPerHour, usdPerHour);
    });
  }

  for (const provider of PROVIDERS) {
    test(`is the one that its file has, for types of ${provider} drawn at will`, () => {
      const prices = written(provider.toLowerCase(), 8);
      fc.assert(
        fc.property(fc.constantFrom(...prices), ({ name, region, cell }) => {
          const price = listPrice(provider, region === '*' ? 'fra1' : region, name);
          assert.equal(price?.name, name);
          assert.equal(price.usdPerHour, Number(cell.replace('~', '')));
          assert.equal(price.isComputed, cell.startsWith('~'));
        }),
        { numRuns: 500 },
      );
    });
  }

  for (const provider of ['AWS', 'Azure', 'GCP']) {
    test(`has the spot price that its file has, for types of ${provider} drawn at will`, () => {
      const prices = written(`${provider.toLowerCase()}-spot`, 1);
      fc.assert(
        fc.property(fc.constantFrom(...prices), ({ name, region, cell }) => {
          assert.equal(listPrice(provider, region, name)?.spotUsdPerHour, Number(cell));
        }),
        { numRuns: 500 },
      );
    });
  }

  test('is found by names in any case', () => {
    const price = listPrice('AZURE', 'EastUS', 'standard_d4s_v5');
    assert.deepEqual([price?.name, price?.usdPerHour], ['Standard_D4s_v5', 0.192]);
  });

  test('has the GPUs of its type', () => {
    const price = listPrice('AWS', 'us-east-1', 'p5.48xlarge');
    assert.deepEqual([price?.gpus, price?.gpuModel, price?.gpuMemoryGiB], [8, 'H100-80GB', 80]);
  });

  for (const [provider, region, name] of [
    ['OVH', 'GRA', 'b2-7'],
    ['', 'us-east-1', 'm5.large'],
    ['AWS', '', 'm5.large'],
    ['AWS', 'us-east-1', ''],
    ['AWS', 'us-east-1', 'm5.huge'],
    ['AWS', 'mars-1', 'm5.large'],
  ] as const) {
    test(`is not guessed for type '${name}' of provider '${provider}', region '${region}'`, () => {
      assert.equal(listPrice(provider, region, name), undefined);
    });
  }
});

for (const provider of PROVIDERS) {
  test(`every list price of ${provider} is above 0, of a size above 0, and dated`, () => {
    const regions = new Set(written(provider.toLowerCase(), 8).map(({ region }) => region));
    let count = 0;
    for (const region of regions) {
      for (const { name, cpuCores, ramGiB, gpus, usdPerHour, gpuModel } of listPricesIn(
        provider,
        region,
      )) {
        count++;
        assert.ok(cpuCores > 0 && ramGiB > 0 && usdPerHour > 0, name);
        assert.equal(gpus > 0, gpuModel !== '', name);
      }
    }
    assert.equal(count, written(provider.toLowerCase(), 8).length);
    assert.match(listPricesCollected(provider) ?? '', /^\d{4}-\d\d-\d\d$/);
  });
}

test('Google machines with a shared core count with the share that they may use permanently', () => {
  const cores = ['f1-micro', 'g1-small', 'e2-micro', 'e2-medium'].map(
    (name) => listPrice('GCP', 'us-central1', name)?.cpuCores,
  );
  assert.deepEqual(cores, [0.2, 0.5, 0.25, 1]);
});

test('rates of a region are those of its file', () => {
  assert.deepEqual(regionRates('aws', 'us-east-1'), { cpuCoreHour: 0.03465, ramGiBHour: 0.003938 });
  assert.equal(regionRates('AWS', 'mars-1'), undefined);
  for (const [provider = '', region = '', item = '', , , price = ''] of cellsOf('rates')) {
    const rates = regionRates(provider, region);
    if (item === 'region-cpu') assert.equal(rates?.cpuCoreHour, Number(price));
    if (item === 'region-ram') assert.equal(rates?.ramGiBHour, Number(price));
  }
});

test('usual types are some of a region, of both architectures, with shared cores and without', () => {
  const types = usualTypes('AWS', 'us-east-1');
  assert.ok(types.length > 300 && types.length < 500, String(types.length));
  const kinds = new Set(types.map((type) => `${type.architecture} ${type.isSharedCore}`));
  assert.equal(kinds.size, 4, [...kinds].join());
  for (const [provider, region] of [
    ['gcp', 'us-central1'],
    ['azure', 'eastus'],
  ] as const) {
    const [some, all] = [usualTypes(provider, region), listPricesIn(provider, region)];
    assert.ok(some.length > 200 && some.length < all.length, `${provider}: ${some.length}`);
    assert.deepEqual(
      some,
      all.filter((type) => some.some(({ name }) => name === type.name)),
    );
  }
});

test('all files of the list together have at most 1.5 MB, and each tells its date', () => {
  const folder = new URL('../../src/pricing/list/', import.meta.url);
  const files = readdirSync(folder);
  const bytes = files.map((file) => statSync(new URL(file, folder)).size);
  const all = bytes.reduce((sum, one) => sum + one, 0);
  assert.ok(all > 1e6 && all <= 1.5e6, `${all} bytes`);
  for (const file of files)
    assert.match(readFileSync(new URL(file, folder), 'utf8'), /^#.* collected \d{4}-\d\d-\d\d\n/);
});
