/** The list prices that come with the program. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPrices } from '../../src/pricing/index.ts';

test('list prices cover three clouds and six regions, each type once, with sizes and prices', () => {
  const types = listPrices();
  const places = [...new Set(types.map(({ provider, region }) => `${provider} ${region}`))];
  assert.deepEqual(places.sort(), [
    'AWS us-east-1',
    'Azure eastus',
    'Azure westeurope',
    'GCP europe-west1',
    'GCP us-central1',
    'GCP us-west1',
  ]);
  for (const { name, cpuCores, ramGiB, usdPerHour } of types) {
    assert.ok(cpuCores > 0 && ramGiB > 0 && usdPerHour > 0, name);
  }
  const kinds = new Set(types.map((type) => `${type.architecture} ${type.isSharedCore}`));
  assert.equal(kinds.size, 4, [...kinds].join());
});

test('Google machines with a shared core count with the share that they may use permanently', () => {
  const cores = new Map(listPrices().map(({ name, cpuCores }) => [name, cpuCores]));
  const shown = ['f1-micro', 'g1-small', 'e2-micro', 'e2-medium'].map((name) => cores.get(name));
  assert.deepEqual(shown, [0.2, 0.5, 0.25, 1]);
});
