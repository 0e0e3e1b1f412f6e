/** Prices of nodes as clouds write their labels, with the list prices that come with the program. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { NodePricer, NodePrices } from '../../../src/allocation/inventory/node-prices.ts';
import {
  createCatalogue,
  listPrice,
  listPricesIn,
  type CataloguedPrice,
  type NodeType,
} from '../../../src/pricing/index.ts';
import {
  GIB,
  seriesOf,
  hourOf,
  EKS,
  EKS_SPOT,
  GKE,
  AKS,
  REGION,
  TYPE,
  type Shown,
  type Size,
  type Way,
} from '../../support/fleets/cloud-nodes.ts';
import {
  GUESSED_GPUS,
  LISTED,
  REGION_RATES,
  SPOT,
  UNLISTED,
} from '../../support/fleets/listed-nodes.ts';
import { pricerOf, type Series } from '../../support/fleets/decided.ts';
import { assertNear } from '../../support/references/near.ts';

const LIST = { file: undefined, isListOn: true };

/** What is billed where the plugin shows each of the type's GPUs several times. */
function devicesOf(type: string, zone: string, [cores, ramGiB, units]: Size): Size {
  const gpus = listPrice('AWS', zone.slice(0, -1), type)?.gpus ?? units;
  return units === undefined ? [cores, ramGiB] : [cores, ramGiB, Math.min(units, gpus ?? units)];
}

describe('a node costs exactly its list price', () => {
  for (const [what, way, type, zone, size, usdPerHour] of LISTED) {
    test(`as ${what}: ${type} in ${zone}, ${size.join(' × ')}`, () => {
      const pricer = pricerOf(seriesOf({ ...way(type, zone), size }), LIST);
      const prices = pricer.pricesOf('c', 'n1');
      assertNear(hourOf(prices, devicesOf(type, zone, size)), usdPerHour);
      assert.equal(prices.source, 'list');
      assert.deepEqual(pricer.unpriced, {
        uncatalogued: 0,
        unlisted: [],
        unlistedRegions: [],
        unlistedGpus: [],
        guessedSpot: [],
        doubted: 0,
        nodes: {},
      });
    });
  }
});

const SIZE: Size = [4, 16];

describe('without a list price', () => {
  for (const [what, shown, { rates, source, unlisted, guessedSpot }] of UNLISTED) {
    test(what, () => {
      const pricer = pricerOf(seriesOf({ ...shown, size: SIZE }), LIST);
      const prices = pricer.pricesOf('c', 'n1');
      assertNear(prices.cpu[1] ?? NaN, rates[0]);
      assertNear((prices.ram[1] ?? NaN) * GIB, rates[1]);
      assert.equal(prices.source, source);
      assert.deepEqual(pricer.unpriced, {
        uncatalogued: 0,
        unlisted: unlisted === undefined ? [] : [[unlisted, 1]],
        unlistedRegions: [],
        unlistedGpus: [],
        guessedSpot: guessedSpot === undefined ? [] : [[guessedSpot, 1]],
        doubted: 0,
        nodes: {
          ...(unlisted === undefined ? {} : { unlisted: ['c/n1'] }),
          ...(guessedSpot === undefined ? {} : { guessedSpot: ['c/n1'] }),
          ...(shown.providerId === '' ? { book: ['c/n1'] } : {}),
        },
      });
    });
  }

  test('a spot node costs its price on demand times the ratio of the book, and is named', () => {
    const pricer = pricerOf(
      seriesOf({ ...EKS_SPOT('m5.large', 'us-gov-west-1a'), size: [2, 8] }),
      LIST,
    );
    assertNear(hourOf(pricer.pricesOf('c', 'n1'), [2, 8]), 0.121 * SPOT);
    assert.deepEqual(pricer.unpriced.guessedSpot, [['AWS us-gov-west-1 m5.large', 1]]);
  });

  for (const [what, shown, usdPerHour, source, named] of GUESSED_GPUS) {
    test(`${what}, and ${named} is named`, () => {
      const pricer = pricerOf(seriesOf(shown), LIST);
      const prices = pricer.pricesOf('c', 'n1');
      assertNear(hourOf(prices, shown.size), usdPerHour);
      assert.equal(prices.source, source);
      assert.deepEqual(pricer.unpriced.unlistedGpus, [[named, 1]]);
    });
  }
});

test('cores and GiB beside GPUs cost what they cost in the region, the GPUs the rest', () => {
  const size: Size = [192, 2048, 8];
  const { cpu, ram, gpu } = pricerOf(seriesOf({ ...EKS('p5.48xlarge', 'us-east-1a'), size }), LIST).pricesOf('c', 'n1'); // prettier-ignore
  assertNear(cpu[1] ?? NaN, REGION_RATES.cpu);
  assertNear((ram[1] ?? NaN) * GIB, REGION_RATES.ram);
  assertNear(gpu[1] ?? NaN, (55.04 - 192 * REGION_RATES.cpu - 2048 * 0.94 * REGION_RATES.ram) / 8);
});

test('any listed type of any size costs its list price, and no resource costs less than nothing', () => {
  const places = [['AWS', 'us-east-1', EKS], ['GCP', 'us-central1', GKE], ['Azure', 'eastus', AKS]] as const; // prettier-ignore
  const types = places.flatMap(([provider, region, way]) =>
    // GPUs beside an N1 are billed for themselves.
    listPricesIn(provider, region)
      .filter(({ name }) => !name.startsWith('n1-'))
      .map((type) => ({ type, way })),
  );
  const suffix = { AWS: 'a', GCP: '-a', Azure: '-1' } as Readonly<Record<string, string>>;
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      fc.double({ min: 0.1, max: 1000, noNaN: true }),
      fc.integer({ min: 0, max: 100 }),
      ({ type, way }, cores, gpus) => {
        const size: Size = [cores, type.ramGiB, gpus];
        const zone = `${type.region}${suffix[type.provider]}`;
        const prices = pricerOf(seriesOf({ ...way(type.name, zone), size }), LIST).pricesOf('c', 'n1'); // prettier-ignore
        const devices = type.gpus > 0 && type.gpus < gpus ? type.gpus : gpus;
        assertNear(hourOf(prices, [cores, type.ramGiB, devices]), type.usdPerHour);
        for (const of of [prices.cpu, prices.ram, prices.gpu]) assert.ok((of[1] ?? -1) >= 0);
      },
    ),
    { numRuns: 300 },
  );
});

/** Where prices come from, by what is known of an EKS node. */
describe('the source of a price', () => {
  const size: Size = [2, 8];
  const node = seriesOf({ ...EKS('m5.large', 'us-east-1a'), size });
  const gpuNode = seriesOf({ ...EKS('g4dn.xlarge', 'us-east-1a'), size: [4, 16, 1] });
  const series = (fact: 'nodeCpuPrice' | 'nodeRamPrice' | 'nodeGpuPrice', usd: number): Series => ({
    fact,
    labels: { node: 'n1' },
    values: [[0, usd]],
  });
  const [cpu, ram] = [series('nodeCpuPrice', 1), series('nodeRamPrice', 1)];
  const listed = listPrice('AWS', 'us-east-1', 'm5.large') ?? assert.fail();
  const own: NodeType = { ...listed, usdPerHour: 7 };
  const file = createCatalogue([own]);
  const ofModel = (gpuModel: string): CataloguedPrice => ({
    ...own,
    provider: '',
    region: '',
    name: '',
    gpuModel,
    usdPerHour: NaN,
    cpuCoreHour: 0.02,
    ramGiBHour: 0.003,
    gpuHour: 0.5,
  });
  // prettier-ignore
  const rows: readonly (readonly [source: NodePrices['source'], why: string, pricer: () => NodePricer])[] = [
    ['series', 'of both series', () => pricerOf([...node, cpu, ram], LIST)],
    ['mixed', 'of one series and the list', () => pricerOf([...node, cpu], LIST)],
    ['list', 'of series that are 0', () => pricerOf([...node, series('nodeCpuPrice', 0), series('nodeRamPrice', 0)], LIST)],
    ['mixed', 'of series for CPU and RAM and the list for GPUs', () => pricerOf([...gpuNode, cpu, ram], LIST)],
    ['series', 'of three series', () => pricerOf([...gpuNode, cpu, ram, series('nodeGpuPrice', 1)], LIST)],
    ['series', 'of two series for a node that has no GPUs', () => pricerOf([...node, cpu, ram], { file: undefined, isListOn: false })],
    ['file', "of the operator's file before the list", () => pricerOf(node, { file, isListOn: true })],
    ['file', "of the operator's file by the model of the type's GPUs", () => pricerOf(gpuNode, { file: createCatalogue([ofModel('T4')]), isListOn: true })],
    ['list', "of the list where the operator's file has another model", () => pricerOf(gpuNode, { file: createCatalogue([ofModel('L4')]), isListOn: true })],
    ['list', "of the list where the operator's file has another type", () => pricerOf(gpuNode, { file, isListOn: true })],
    ['book', 'of the book where the list is off', () => pricerOf(node, { file: undefined, isListOn: false })],
  ];
  for (const [source, why, pricer] of rows) {
    test(`is ${source} because ${why}`, () => {
      assert.equal(pricer().pricesOf('c', 'n1').source, source);
    });
  }

  test('is the book for a pod whose node is unknown', () => {
    assert.equal(pricerOf(node, LIST).pricesOf('c', '').source, 'book');
  });
});

test('what is sold in EUR costs its list price where it is told what a euro costs', () => {
  const rows: readonly (readonly [node: Omit<Shown, 'size'>, size: Size, eurPerHour: number])[] = [
    [{ labels: { [TYPE]: 'b2-15', [REGION]: 'GRA7', 'node.k8s.ovh/type': 'standard' }, providerId: 'openstack:///1' }, [4, 15], 0.1342],
    [{ labels: { [TYPE]: 'POP2-HM-6C-48G', [REGION]: 'fr-par' }, providerId: 'scaleway://instance/fr-par-1/1' }, [6, 48], 0.309],
  ]; // prettier-ignore
  for (const [node, size, eurPerHour] of rows) {
    const pricer = pricerOf(seriesOf({ ...node, size }), LIST, { usdPerEuro: 1.15 });
    const prices = pricer.pricesOf('c', 'n1');
    assertNear(hourOf(prices, size), eurPerHour * 1.15);
    assert.equal(prices.source, 'list');
    assert.equal(pricerOf(seriesOf({ ...node, size }), LIST).pricesOf('c', 'n1').source, 'book');
  }
});

test('discounts are taken off CPU and RAM of list prices, and not off spot nodes', () => {
  const size: Size = [2, 8];
  const hour = (way: Way): number => {
    const pricer = pricerOf(seriesOf({ ...way('m5.large', 'us-east-1a'), size }), LIST, {
      discount: 0.25,
    });
    return hourOf(pricer.pricesOf('c', 'n1'), size);
  };
  assertNear(hour(EKS), 0.096 * 0.75);
  assertNear(hour(EKS_SPOT), 0.0437);
});
