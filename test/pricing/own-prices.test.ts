/** The operator's prices: rows of pools, zones and units, what is refused, and which row wins. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  createCatalogue,
  ownRates,
  parseNodeTypes,
  type NodeKind,
  type OwnPrice,
} from '../../src/pricing/index.ts';
import { Fault } from '../../src/query/index.ts';
import { BOOK } from '../support/fleets/decided.ts';

const HEADER =
  'pool,provider,region,zone,name,vCPUs,RAMGB,hourlyPrice,cpuCoreHour,ramGiBHour,gpuHour,currency';

function read(...rows: readonly string[]): OwnPrice[] {
  return parseNodeTypes([HEADER, ...rows].join('\n'), 'own.csv');
}

test('a file of pools needs no types', () => {
  const [row] = parseNodeTypes('pool,cpuCoreHour,ramGiBHour\nracks,0.02,0.003\n', 'own.csv');
  assert.deepEqual(
    [row?.pool, row?.name, row?.cpuCoreHour, row?.ramGiBHour, row?.gpuHour],
    ['racks', '', 0.02, 0.003, NaN],
  );
});

const ABOVE_0 = 'a price in USD an hour, above 0 and at most 100000';

// prettier-ignore
const REFUSED: readonly (readonly [what: string, row: string, message: string])[] = [
  ['neither a name nor a pool', ',,,,,,,,0.1,0.1,,', "column name: '' is not the name of a node type, such as m5.large"],
  ['another currency', 'a,,,,,,,,0.1,0.1,,EUR', "column currency: 'EUR' is not USD"],
  ['a price of a core without one of a GiB', 'a,,,,,,,,0.1,,,', `column ramGiBHour: '' is not ${ABOVE_0}`],
  ['a price of a GiB without one of a core', 'a,,,,,,,,,0.1,,', `column cpuCoreHour: '' is not ${ABOVE_0}`],
  ['two ways of pricing', 'a,,,,,2,8,1,0.1,0.1,,', "column hourlyPrice: '1' is not empty, though the row has prices of a core or a GiB"],
  ['no price', 'a,,,,,2,8,,,,,', `column hourlyPrice: '' is not ${ABOVE_0}`],
  ['a price of 0', 'a,,,,,2,8,0,,,,', `column hourlyPrice: '0' is not ${ABOVE_0}`],
  ['a price of a core of 0', 'a,,,,,,,,0,0.1,,', `column cpuCoreHour: '0' is not ${ABOVE_0}`],
  ['a price that is too high', 'a,,,,,2,8,100001,,,,', `column hourlyPrice: '100001' is not ${ABOVE_0}`],
  ['a negative price of a GPU', 'a,,,,,,,,1,1,-1,', `column gpuHour: '-1' is not ${ABOVE_0}, or nothing`],
  ['a whole price without a size', 'a,,,,,,,1,,,,', "column vCPUs: '' is not a number of cores above 0"],
];

describe("the operator's file is refused with", () => {
  for (const [what, row, message] of REFUSED) {
    test(what, () => {
      assert.throws(() => read('b,,,,,,,,1,1,,USD', row), new Fault(`own.csv, row 3, ${message}`));
    });
  }

  test('two prices of one pool', () => {
    assert.throws(
      () => read('a,AWS,,z1,,,,,1,1,,', 'A,aws,,Z1,,,,,2,2,,'),
      new Fault('own.csv, row 3, column name: pool A of aws Z1 stands in row 2 already'),
    );
  });
});

const PRICES = createCatalogue(
  read(
    ',,,,big,2,8,1,,,,',
    ',,r1,,big,2,8,2,,,,',
    ',,r1,r1a,big,2,8,3,,,,',
    'racks,,,,,2,8,4,,,,',
    'racks,,,,big,2,8,5,,,,',
    'racks,,r1,,,2,8,6,,,,',
    ',AWS,r2,r2-lax-1a,edge,2,8,9,,,,',
  ),
);

// prettier-ignore
const WINS: readonly (readonly [what: string, node: Partial<NodeKind>, usdPerHour: number | undefined])[] = [
  ['the type anywhere', { type: 'big', region: 'r9' }, 1],
  ['the type in its region', { type: 'big', region: 'r1', zone: 'r1b' }, 2],
  ['the type in its zone', { type: 'big', region: 'r1', zone: 'r1a' }, 3],
  ['the pool', { type: 'small', region: 'r9', pool: 'racks' }, 4],
  ['the pool of a node without a type', { pool: 'Racks' }, 4],
  ['the type in the pool, before the zone', { type: 'big', region: 'r1', zone: 'r1a', pool: 'racks' }, 5],
  ['the pool in a region', { type: 'small', region: 'r1', pool: 'racks' }, 6],
  ['a zone that the provider id tells', { type: 'edge', region: 'r2', providerId: 'aws:///r2-lax-1a/i-0' }, 9],
  ['nothing for another pool and type', { type: 'small', pool: 'other' }, undefined],
];

describe('the row that wins is', () => {
  for (const [what, node, usdPerHour] of WINS) {
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
      assert.equal(PRICES.find(kind)?.usdPerHour, usdPerHour);
    });
  }

  test('never less specific than another that fits, whatever the order of rows', () => {
    const rows = [',,,,big,2,8,1,,,,', ',,r1,,big,2,8,2,,,,', ',,r1,r1a,big,2,8,3,,,,', 'racks,,,,,2,8,4,,,,'] as const; // prettier-ignore
    const node = { type: 'big', region: 'r1', zone: 'r1a', gpuModel: '', providerId: '' };
    fc.assert(
      fc.property(fc.shuffledSubarray([...rows], { minLength: 1 }), (some) => {
        const most = Math.max(...some.map((row) => rows.indexOf(row) + 1));
        const found = createCatalogue(read(...some)).find({ ...node, pool: 'racks' });
        assert.equal(found?.usdPerHour, most);
      }),
    );
  });
});

const MODELS = createCatalogue(
  parseNodeTypes(
    'gpuModel,pool,cpuCoreHour,ramGiBHour,gpuHour\nNVIDIA-A100-SXM4-80GB,,1,1,1.8\nA100-80GB,,1,1,1.5\nTesla-T4,,1,1,0.3\n,racks,1,1,0.7\n',
    'own.csv',
  ),
);

describe('the price of a GPU is that of', () => {
  const rows: readonly (readonly [what: string, node: Partial<NodeKind>, usd: number | undefined])[] = [
    ['its model', { gpuModel: 'NVIDIA-A100-SXM4-80GB' }, 1.8],
    ['its model, shared in time', { gpuModel: 'Tesla-T4-SHARED' }, 0.3],
    ['its model, in partitions', { gpuModel: 'NVIDIA-A100-SXM4-80GB-MIG-1g.10gb' }, 1.8],
    ['its model as list prices name it', { gpuModel: 'nvidia-a100-80gb' }, 1.5],
    ['its model as list prices name it, in partitions', { gpuModel: 'A100-SXM4-80GB-MIG-1g.10gb' }, 1.5],
    ['its pool before its model', { gpuModel: 'Tesla-T4', pool: 'racks' }, 0.7],
    ['no other model', { gpuModel: 'NVIDIA-L4' }, undefined],
    ['no model that is not known', {}, undefined],
  ]; // prettier-ignore
  for (const [what, node, usd] of rows)
    test(what, () => {
      const kind = { type: '', region: '', zone: '', pool: '', gpuModel: '', providerId: '' };
      assert.equal(MODELS.find({ ...kind, ...node })?.gpuHour, usd);
    });
});

describe('rows of storage classes', () => {
  const file = (...rows: readonly string[]): OwnPrice[] =>
    parseNodeTypes(['storageClass,provider,region,storageGiBHour', ...rows].join('\n'), 'own.csv');

  test('need no types, and the row of the region wins', () => {
    const prices = createCatalogue(file('fast,,,0.0002', 'fast,,r1,0.0003', 'slow,AWS,,0.0001'));
    const found = [['', 'r9', 'fast'], ['', 'r1', 'FAST'], ['AWS', '', 'slow'], ['GCP', '', 'slow'], ['', '', 'other']]; // prettier-ignore
    assert.deepEqual(
      found.map(([provider = '', region = '', name = '']) =>
        prices.storageGiBHour(provider, region, name),
      ),
      [0.0002, 0.0003, 0.0001, undefined, undefined],
    );
  });

  test('stand beside rows of nodes, and price none of them', () => {
    const prices = createCatalogue(
      parseNodeTypes(
        'pool,storageClass,storageGiBHour,cpuCoreHour,ramGiBHour\nracks,,,1,2\n,fast,0.5,,\n',
        'own.csv',
      ),
    );
    const kind = { type: 'x', region: '', zone: '', gpuModel: '', providerId: '' };
    assert.equal(prices.find({ ...kind, pool: 'racks' })?.cpuCoreHour, 1);
    assert.equal(prices.find({ ...kind, pool: 'others' }), undefined);
    assert.equal(prices.storageGiBHour('', '', 'fast'), 0.5);
  });

  const refused: readonly (readonly [what: string, rows: readonly string[], message: string])[] = [
    ['a price of 0', ['fast,,,0'], `row 2, column storageGiBHour: '0' is not ${ABOVE_0}`],
    ['no price', ['fast,,,'], `row 2, column storageGiBHour: '' is not ${ABOVE_0}`],
    ['no class', [',,,1'], "row 2, column name: '' is not the name of a node type, such as m5.large"],
    ['two prices', ['fast,,,1', 'Fast,,,2'], 'row 3, column name: Fast stands in row 2 already'],
    ['a price of any provider beside one of a provider', ['fast,AWS,,1', 'fast,,,2'], "row 3, column provider: '' is ambiguous, as fast of AWS stands in row 2"],
  ]; // prettier-ignore
  for (const [what, rows, message] of refused)
    test(`are refused with ${what}`, () => {
      assert.throws(() => file(...rows), { message: `own.csv, ${message}` });
    });

  test('are refused with the price of a machine', () => {
    const text =
      'storageClass,storageGiBHour,name,vCPUs,RAMGB,hourlyPrice\nfast,1,m5.large,2,8,1\n';
    assert.throws(() => parseNodeTypes(text, 'own.csv'), {
      message:
        "own.csv, row 2, column name: 'm5.large' is not empty, though the row prices a storage class",
    });
  });
});

describe('a row', () => {
  const size = { cpuCores: 4, ramGiB: 16, gpus: 2 };
  const [whole, units, gpus] = read(
    'a,,,,,2,8,1,,,,',
    'b,,,,,,,,0.02,0.003,,',
    'c,,,,,,,,0.02,0.003,2,',
  );

  test('may price cores and GiB, on spot too, and leave GPUs to the book', () => {
    const expected = { cpuCoreHour: 0.02, ramGiBHour: 0.003, gpuHour: BOOK.gpuHour };
    for (const isSpot of [false, true]) {
      assert.deepEqual(ownRates(units ?? assert.fail(), size, isSpot, BOOK), expected);
    }
  });

  test('may price GPUs', () => {
    assert.equal(ownRates(gpus ?? assert.fail(), size, false, BOOK)?.gpuHour, 2);
  });

  test('may price the machine, which its parts add up to', () => {
    const rates =
      ownRates(whole ?? assert.fail(), { ...size, gpus: 0 }, false, BOOK) ?? assert.fail();
    assert.ok(Math.abs(4 * rates.cpuCoreHour + 16 * rates.ramGiBHour - 1) < 1e-12);
  });

  test('without a spot price prices no spot node by its machine', () => {
    assert.equal(ownRates(whole ?? assert.fail(), size, true, BOOK), undefined);
  });
});
