/** Idle over HTTP, of the demo fleet: its forms and names, and that they are the same money. */
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { readCsv } from '../../support/references/read-csv.ts';

/** A Friday. */
const NOW = '2024-05-03T08:00:00Z';
const RESOURCES = ['cpuCost', 'ramCost', 'gpuCost'] as const;

interface Row {
  readonly properties: Readonly<Record<string, string>>;
  readonly window: { readonly start: string };
  readonly accuracy: { readonly lower: number; readonly upper: number };
  readonly [field: string]: unknown;
}
type Rows = Readonly<Record<string, Row>>;

let server: BundleServer | undefined;
before(async () => {
  server = await startBundleServer([`--now=${NOW}`, '--workers=1', '--timezone=Europe/Berlin']);
});
after(() => server?.stop());

async function text(query: string): Promise<string> {
  assert.ok(server, 'no server runs');
  const answer = await server.compute(query);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

async function setsOf(query: string): Promise<Rows[]> {
  const answer = JSON.parse(await text(query)) as { data: Rows[]; warnings?: string[] };
  assert.doesNotMatch((answer.warnings ?? []).join(), /idle|nodes/);
  return answer.data;
}

async function rowsOf(query: string): Promise<Rows> {
  const [rows, ...more] = await setsOf(`window=6h&${query}`);
  assert.ok(rows && more.length === 0, `${more.length + 1} sets`);
  return rows;
}

const isIdle = (name: string): boolean => name === '__idle__' || name.endsWith('/__idle__');
const idleNames = (rows: Rows): string[] => Object.keys(rows).filter(isIdle);
const costOf = (row: Row): number => RESOURCES.reduce((sum, name) => sum + Number(row[name]), 0);
const idleOf = (rows: Rows): number =>
  idleNames(rows).reduce((sum, name) => sum + Number(rows[name]?.['totalCost']), 0);

function assertClose(actual: number, expected: number): void {
  assert.ok(Math.abs(actual - expected) <= 1e-9 * expected, `${actual}, not ${expected}`);
}

const ASKED: readonly (readonly [query: string, isShown: boolean])[] = [
  ['', false],
  ['idle=', false],
  ['idle=false', false],
  ['splitIdle=true&idleByNode=true', false],
  ['idle=true', true],
  ['includeIdle=T', true],
  ['idle=0&includeIdle=1', true],
];

describe('idle is shown only where it is requested:', () => {
  for (const [query, isShown] of ASKED)
    test(`'${query}'`, async () => {
      const rows = await rowsOf(`aggregate=namespace&${query}`);
      assert.deepEqual(idleNames(rows), isShown ? ['__idle__'] : []);
    });
});

const NAMED: readonly (readonly [query: string, names: RegExp, count: number])[] = [
  ['', /^__idle__$/, 1],
  ['idleByNode=true', /^__idle__$/, 1],
  ['splitIdle=true', /^(development|production)\/__idle__$/, 2],
  ['splitIdle=true&idleByNode=true', /^(development\/gke-|production\/ip-)[^/]+\/__idle__$/, 20],
];

const AGGREGATES = ['', 'cluster', 'node', 'namespace', 'service', 'label:team', 'pod,container'];

describe('idle has rows of its own in every aggregate, which cost the same:', () => {
  let expected: number;
  before(async () => {
    expected = idleOf(await rowsOf('idle=true'));
    assert.ok(expected > 1, `${expected} USD are idle`);
  });

  for (const [query, names, count] of NAMED)
    test(query === '' ? 'one' : query, async () => {
      for (const aggregate of AGGREGATES) {
        const rows = await rowsOf(`idle=true&aggregate=${aggregate}&${query}`);
        const idle = idleNames(rows);
        assert.equal(idle.length, count, aggregate);
        for (const name of idle) assert.match(name, names);
        assertClose(idleOf(rows), expected);
      }
    });
});

test('an idle row tells its node and time, and what it is idle by; it asks for nothing', async () => {
  const rows = await rowsOf('idle=true&splitIdle=true&idleByNode=true&resolution=exact');
  for (const [name, row] of Object.entries(rows).filter(([key]) => isIdle(key))) {
    const [cluster, node] = name.split('/');
    const { providerIDFull, providerID: _, instanceType, region, zone, ...known } = row.properties;
    assert.deepEqual(known, { cluster, node, container: '__idle__' });
    assert.match(providerIDFull ?? '', /^(aws|gce):\/\//);
    assert.match(`${instanceType} ${region} ${zone}`, /^\S+ ([a-z]+-[a-z]+-?\d) \1/);
    assert.deepEqual(
      [row['start'], row['end'], row['minutes']],
      ['2024-05-03T02:00:00Z', NOW, 360],
    );
    assert.ok(Number(row['cpuCoreHours']) > 0 && Number(row['ramByteHours']) > 0, name);
    assert.equal(row['totalCost'], costOf(row));
    for (const field of ['cpuCoreRequestAverage', 'cpuCoreUsageAverage', 'totalEfficiency'])
      assert.equal(row[field], 0, field);
  }
});

test('idle is the same money at a resolution, and within the bounds it tells', async () => {
  const exact = idleOf(await rowsOf('idle=true&resolution=exact'));
  const { __idle__: row } = await rowsOf('idle=true&resolution=10m');
  assert.ok(row, 'nothing is idle');
  const { lower, upper } = row.accuracy;
  const billed = Number(row['totalCost']);
  assert.ok(lower > 0.5 && upper < 2, `${lower} to ${upper}`);
  const [least, most] = [lower * (1 - 1e-9), upper * (1 + 1e-9)];
  assert.ok(least <= billed / exact && billed / exact <= most, `${billed} of ${exact}`);
});

test('sets of the calendar have their own idle, and together that of the window', async () => {
  const window = 'window=2024-04-30T20:00:00Z,2024-05-02T10:00:00Z';
  const query = `${window}&resolution=exact&aggregate=cluster&idle=true`;
  const days = await setsOf(`${query}&accumulate=day`);
  const starts = days.map(({ __idle__: row }) => row?.window.start);
  assert.deepEqual(starts, [
    '2024-05-01T22:00:00Z',
    '2024-04-30T22:00:00Z',
    '2024-04-30T20:00:00Z',
  ]);
  const [whole = {}] = await setsOf(query);
  assertClose(
    days.reduce((sum, set) => sum + idleOf(set), 0),
    idleOf(whole),
  );
});

for (const columns of ['summary', 'full'])
  test(`CSV of ${columns} columns has idle first, with the cost of the JSON`, async () => {
    const query = 'idle=true&splitIdle=true&aggregate=namespace';
    const rows = await rowsOf(query);
    const csv = readCsv(await text(`window=6h&${query}&format=csv&columns=${columns}`));
    const [head = [], ...lines] = csv;
    const total = head.indexOf(columns === 'full' ? 'totalCost' : 'Total');
    assert.deepEqual(
      lines.slice(0, 3).map(([name]) => name),
      ['development/__idle__', 'production/__idle__', '__unmounted__'],
    );
    assert.equal(lines.length, Object.keys(rows).length);
    for (const line of lines) assert.equal(Number(line[total]), rows[line[0] ?? '']?.['totalCost']);
  });
