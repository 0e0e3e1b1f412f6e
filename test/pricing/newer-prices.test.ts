/** Newer prices in the place of those of the list. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { listPrice, listPricesIn } from '../../src/pricing/list-prices.ts';
import { newerCollected, useNewerPrices } from '../../src/pricing/newer-prices.ts';
import type { NodeType } from '../../src/pricing/node-types.ts';

afterEach(() => useNewerPrices(undefined));

const type = (provider: string, region: string, name: string, usdPerHour: number): NodeType => ({
  provider, region, name, cpuCores: 2, ramGiB: 8, gpus: 0, usdPerHour, spotUsdPerHour: NaN,
  isSharedCore: false, architecture: 'x86',
}); // prettier-ignore

test('a newer price counts in its region alone, in any case of letters', () => {
  const before = listPrice('AWS', 'eu-west-1', 'm5.large')?.usdPerHour;
  useNewerPrices({ collected: '2027-01-01', types: [type('aws', 'us-east-1', 'M5.Large', 0.09)] });
  assert.equal(listPrice('AWS', 'us-east-1', 'm5.large')?.usdPerHour, 0.09);
  assert.equal(listPrice('AWS', 'eu-west-1', 'm5.large')?.usdPerHour, before);
  assert.equal(newerCollected(), '2027-01-01');
});

test('what is known of the GPUs of a type stays', () => {
  useNewerPrices({ collected: '', types: [type('AWS', 'us-east-1', 'p5.48xlarge', 50)] });
  const price = listPrice('AWS', 'us-east-1', 'p5.48xlarge');
  assert.deepEqual([price?.usdPerHour, price?.gpuModel], [50, 'H100-80GB']);
});

test('a type that the list has not is among those of its region', () => {
  const names = (provider: string, region: string): string[] =>
    listPricesIn(provider, region).map(({ name }) => name);
  const before = names('AWS', 'us-east-1');
  useNewerPrices({
    collected: '',
    types: [type('AWS', 'us-east-1', 'm9.large', 1), type('Hetzner', 'fsn1', 'cx22', 0.0066)],
  });
  assert.deepEqual(names('AWS', 'us-east-1'), [...before, 'm9.large']);
  assert.deepEqual(names('Hetzner', 'fsn1'), ['cx22']);
});

test('without newer prices the list is as it was', () => {
  useNewerPrices({ collected: '', types: [type('AWS', 'us-east-1', 'm5.large', 0.09)] });
  useNewerPrices(undefined);
  assert.equal(listPrice('AWS', 'us-east-1', 'm5.large')?.usdPerHour, 0.096);
});
