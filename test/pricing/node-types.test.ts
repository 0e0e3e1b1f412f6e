/** Node types from CSV, their price divided, and a node's own among them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import {
  createCatalogue,
  parseNodeTypes,
  typeRates,
  type NodeKind,
  type NodeType,
} from '../../src/pricing/index.ts';
import { Fault } from '../../src/query/index.ts';
import { BOOK } from '../support/fleets/decided.ts';
import { assertNear } from '../support/references/near.ts';

const HEADER = 'name,vCPUs,RAMGB,hourlyPrice';
const OF_NO_PLACE = { zone: '', pool: '', gpuModel: '', storageClass: '', storageGiBHour: NaN, cpuCoreHour: NaN, ramGiBHour: NaN, gpuHour: NaN }; // prettier-ignore

test('columns may be in any order, and missing ones have their default', () => {
  assert.deepEqual(parseNodeTypes('hourlyPrice,name,RAMGB,vCPUs\n0.096,m5.large,8.0,2\n', 'f'), [
    {
      provider: '',
      region: '',
      name: 'm5.large',
      cpuCores: 2,
      ramGiB: 8,
      gpus: 0,
      usdPerHour: 0.096,
      spotUsdPerHour: NaN,
      isSharedCore: false,
      architecture: 'x86',
      ...OF_NO_PLACE,
    },
  ]);
});

test('every column is read, blanks around cells are not', () => {
  const header = `provider,region,${HEADER},GPUs,spotHourlyPrice,sharedCore,architecture`;
  const row = 'GCP,us-central1, a2-highgpu-1g ,12,85.0,3.67,1,1.92,true,arm64';
  assert.deepEqual(parseNodeTypes(`${header}\r\n${row}\r\n`, 'f'), [
    {
      provider: 'GCP',
      region: 'us-central1',
      name: 'a2-highgpu-1g',
      cpuCores: 12,
      ramGiB: 85,
      gpus: 1,
      usdPerHour: 3.67,
      spotUsdPerHour: 1.92,
      isSharedCore: true,
      architecture: 'ARM',
      ...OF_NO_PLACE,
    },
  ]);
});

const REFUSED: readonly (readonly [what: string, text: string, message: string, hint?: RegExp])[] =
  [
    ['nothing', '', "types.csv, row 1: column 'name' is missing", /m5\.large/],
    ['no row', HEADER, 'types.csv, row 2: no node type', /m5\.large/],
    ['no price', 'name,vCPUs,RAMGB\n', "types.csv, row 1: column 'hourlyPrice' is missing"],
    [
      'a column misspelt',
      `${HEADER},spotHourlyPrise`,
      "types.csv, row 1, column 5: unknown column 'spotHourlyPrise'",
      /'spotHourlyPrice'/,
    ],
    [
      'a column twice',
      `${HEADER},name`,
      "types.csv, row 1, column 5: column 'name' is there twice",
    ],
    ['a short row', `${HEADER}\nm5,2,8`, 'types.csv, row 2: cells: 3, columns: 4', /name,vCPUs/],
    ['a blank row', `${HEADER}\nm5,2,8,1\n\n`, 'types.csv, row 3: cells: 1, columns: 4'],
    [
      'a price in words',
      `${HEADER}\nm5,2,8,1\nm6,2,8,cheap`,
      "types.csv, row 3, column hourlyPrice: 'cheap' is not a price in USD an hour, above 0 and at most 100000",
    ],
    [
      'a price with a comma',
      `${HEADER}\nm5,2,8,"0,096"`,
      "types.csv, row 2, column hourlyPrice: '0,096' is not a price in USD an hour, above 0 and at most 100000",
    ],
    [
      'no price in a row',
      `${HEADER}\nm5,2,8,`,
      "types.csv, row 2, column hourlyPrice: '' is not a price in USD an hour, above 0 and at most 100000",
    ],
    [
      'a negative price',
      `${HEADER}\nm5,2,8,-1`,
      "types.csv, row 2, column hourlyPrice: '-1' is not a price in USD an hour, above 0 and at most 100000",
    ],
    [
      'an endless price',
      `${HEADER}\nm5,2,8,1e999`,
      "types.csv, row 2, column hourlyPrice: '1e999' is not a price in USD an hour, above 0 and at most 100000",
    ],
    [
      'no cores',
      `${HEADER}\nm5,0,8,1`,
      "types.csv, row 2, column vCPUs: '0' is not a number of cores above 0",
    ],
    [
      'no name',
      `${HEADER}\n ,2,8,1`,
      "types.csv, row 2, column name: '' is not the name of a node type, such as m5.large",
    ],
    [
      'a spot price in words',
      `${HEADER},spotHourlyPrice\nm5,2,8,1,none`,
      "types.csv, row 2, column spotHourlyPrice: 'none' is not a price in USD an hour, above 0 and at most 100000, or nothing",
    ],
    [
      'an architecture misspelt',
      `${HEADER},architecture\nm5,2,8,1,x68`,
      "types.csv, row 2, column architecture: 'x68' is not x86, ARM or nothing",
    ],
    [
      'shared cores in words',
      `${HEADER},sharedCore\nm5,2,8,1,maybe`,
      "types.csv, row 2, column sharedCore: 'maybe' is not true, false or nothing",
    ],
    [
      'one type twice',
      `region,${HEADER}\nr,m5,2,8,1\nr2,m5,2,8,1\nR,M5,2,8,2`,
      'types.csv, row 4, column name: M5 of R stands in row 2 already',
    ],
    [
      'a type of any provider beside one of a provider',
      `provider,region,${HEADER}\nAWS,r,m5,2,8,1\nGCP,r,m5,2,8,1\n,R,M5,2,8,2`,
      "types.csv, row 4, column provider: '' is ambiguous, as M5 of AWS stands in row 2",
      /^name the provider in each row$/,
    ],
    [
      'a type of a provider after one of any',
      `provider,region,${HEADER}\n,r,m5,2,8,1\nGCP,r,m5,2,8,1`,
      "types.csv, row 2, column provider: '' is ambiguous, as m5 of GCP stands in row 3",
    ],
  ];

describe('a file of node types is refused with', () => {
  for (const [what, text, message, hint = /^/] of REFUSED)
    test(what, () =>
      assert.throws(
        () => parseNodeTypes(text, 'types.csv'),
        (fault: unknown) => {
          assert.ok(fault instanceof Fault, String(fault));
          assert.equal(fault.message, message);
          assert.match(fault.hint ?? '', hint);
          return true;
        },
      ),
    );
});

const TYPE: NodeType = {
  provider: '',
  region: '',
  name: 'big',
  cpuCores: 8,
  ramGiB: 32,
  gpus: 0,
  usdPerHour: 1,
  spotUsdPerHour: NaN,
  isSharedCore: false,
  architecture: 'x86',
};

test("prices of a type's resources add up to its price, in the ratio of the book", () => {
  const usd = fc.double({ min: 1e-9, max: 1e4, noNaN: true });
  const amount = fc.double({ min: 0, max: 1e4, noNaN: true });
  const cores = fc.double({ min: 0.25, max: 1e4, noNaN: true });
  fc.assert(
    fc.property(usd, cores, amount, amount, (usdPerHour, cpuCores, ramGiB, gpus) => {
      const type = { ...TYPE, usdPerHour, cpuCores, ramGiB, gpus, spotUsdPerHour: usdPerHour };
      for (const isSpot of [false, true]) {
        const rates = typeRates(type, isSpot, BOOK);
        assert.ok(rates, 'no rates');
        const { cpuCoreHour, ramGiBHour, gpuHour } = rates;
        const sum = cpuCoreHour * cpuCores + ramGiBHour * ramGiB + gpuHour * gpus;
        assert.ok(Math.abs(sum - usdPerHour) <= 1e-12 * usdPerHour, `${sum}, not ${usdPerHour}`);
        assertNear(ramGiBHour * BOOK.cpuCoreHour, cpuCoreHour * BOOK.ramGiBHour);
      }
    }),
  );
});

test('a GPU added to a type without GPUs has the price of the book, as a spot node without a price has', () => {
  assert.equal(typeRates(TYPE, false, BOOK)?.gpuHour, BOOK.gpuHour);
  assert.equal(typeRates(TYPE, true, BOOK), undefined);
});

test('with a book of zeros the cores have the whole price', () => {
  const free = { ...BOOK, cpuCoreHour: 0, ramGiBHour: 0, gpuHour: 0 };
  const rates = { cpuCoreHour: 0.125, ramGiBHour: 0, gpuHour: 0 };
  assert.deepEqual(typeRates(TYPE, false, free), rates);
});

const CATALOGUE = createCatalogue([
  { ...TYPE, provider: 'AWS', region: 'us-east-1', name: 'm5.large', usdPerHour: 1 },
  { ...TYPE, provider: 'Azure', region: 'eastus', name: 'Standard_D2s_v3', usdPerHour: 2 },
  { ...TYPE, provider: 'Azure', region: 'westeurope', name: 'Standard_D2s_v3', usdPerHour: 3 },
  { ...TYPE, provider: 'GCP', region: 'here', name: 'twin', usdPerHour: 4 },
  { ...TYPE, provider: 'AWS', region: 'here', name: 'twin', usdPerHour: 5 },
  { ...TYPE, name: 'anywhere', usdPerHour: 6 },
  { ...TYPE, region: 'here', name: 'anywhere', usdPerHour: 7 },
]);

const FOUND: readonly (readonly [
  what: string,
  node: Partial<NodeKind>,
  usd: number | undefined,
])[] = [
  ['type and region', { type: 'm5.large', region: 'us-east-1' }, 1],
  ['names in other cases', { type: 'standard_d2S_v3', region: 'WestEurope' }, 3],
  ['a type of one region, its own unknown', { type: 'm5.large' }, 1],
  ['a type of one region, but in another', { type: 'm5.large', region: 'eu-west-1' }, undefined],
  ['a type of two regions, its own unknown', { type: 'Standard_D2s_v3' }, undefined],
  ['an unknown type', { type: 'm6.large', region: 'us-east-1' }, undefined],
  ['no type', { region: 'us-east-1' }, undefined],
  ['two providers, its own unknown', { type: 'twin', region: 'here' }, undefined],
  ['Google by its id', { type: 'twin', region: 'here', providerId: 'gce://p/z/n' }, 4],
  ['Amazon by its id', { type: 'twin', region: 'here', providerId: 'aws:///z/i-0' }, 5],
  ['an id without a scheme', { type: 'm5.large', providerId: 'i-0abc' }, 1],
  ["another provider's type", { type: 'm5.large', providerId: 'azure:///x' }, undefined],
  ['a type of any region', { type: 'anywhere', region: 'there' }, 6],
  ['a type of any region, its own unknown', { type: 'anywhere' }, 6],
  ['a type of any region, and of its own', { type: 'anywhere', region: 'here' }, 7],
];

describe('the catalogue knows a node by', () => {
  for (const [what, node, usd] of FOUND)
    test(what, () => {
      const kind = {
        type: '',
        region: '',
        zone: '',
        pool: '',
        gpuModel: '',
        providerId: '',
        ...node,
      };
      assert.equal(CATALOGUE.find(kind)?.usdPerHour, usd);
    });
});

const LISTS = fileURLToPath(new URL('../fixtures/node-types.csv', import.meta.url));

test('public price lists are read whole, and every type is found by its name and region', () => {
  const types = parseNodeTypes(readFileSync(LISTS, 'utf8'), LISTS);
  assert.equal(types.length, 2147);
  assert.equal(new Set(types.map(({ region }) => region)).size, 6);
  const catalogue = createCatalogue(types);
  for (const type of types) {
    const kind = {
      type: type.name,
      region: type.region,
      zone: '',
      pool: '',
      gpuModel: '',
      providerId: '',
    };
    assert.equal(catalogue.find(kind), type);
  }
});
