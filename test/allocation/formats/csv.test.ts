/** `format=csv` of the real server over the demo fleet, against its JSON. */
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { podLabels } from '../../support/references/pod-labels.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { readCsv } from '../../support/references/read-csv.ts';

const NOW = '2024-05-03T08:00:00Z';
const HEADER = 'Name,CPU,GPU,RAM,PV,Network,LoadBalancer,External,Shared,Efficiency,Total';

type JsonRow = Readonly<Record<string, unknown>>;
type JsonSet = Readonly<Record<string, JsonRow>>;

let server: BundleServer | undefined;
before(async () => {
  server = await startBundleServer([`--now=${NOW}`, '--workers=1']);
});
after(() => server?.stop());

async function text(query: string): Promise<string> {
  assert.ok(server, 'no server runs');
  const answer = await server.compute(query);
  assert.equal(answer.status, 200, answer.text);
  return answer.text;
}

async function csvOf(query: string): Promise<{ head: string[]; rows: Record<string, string>[] }> {
  const [head = [], ...lines] = readCsv(await text(`${query}&format=csv`));
  const rows = lines.map((cells) => {
    assert.equal(cells.length, head.length);
    return Object.fromEntries(head.map((name, i) => [name, cells[i] ?? '']));
  });
  return { head, rows };
}

async function jsonOf(query: string): Promise<JsonSet[]> {
  return (JSON.parse(await text(query)) as { data: JsonSet[] }).data;
}

const number = (row: JsonRow, field: string): number => Number(row[field] ?? 0);
const adjusted = (row: JsonRow, field: string): number =>
  number(row, field) + number(row, `${field}Adjustment`);

const SUMMARY: readonly (readonly [column: string, value: (row: JsonRow) => number])[] = [
  ['CPU', (row) => adjusted(row, 'cpuCost')],
  ['GPU', (row) => adjusted(row, 'gpuCost')],
  ['RAM', (row) => adjusted(row, 'ramCost')],
  ['PV', (row) => adjusted(row, 'pvCost')],
  ['Network', (row) => adjusted(row, 'networkCost')],
  ['LoadBalancer', (row) => adjusted(row, 'loadBalancerCost')],
  ['External', (row) => number(row, 'externalCost')],
  ['Shared', (row) => number(row, 'sharedCost')],
  ['Efficiency', (row) => number(row, 'totalEfficiency')],
  ['Total', (row) => number(row, 'totalCost')],
];

test('the eleven columns hold what the accumulated JSON does, to the last bit', async () => {
  for (const query of ['window=3h', 'window=3h&aggregate=namespace,label:app&resolution=exact']) {
    const [set = {}] = await jsonOf(`${query}&accumulate=true`);
    const { head, rows } = await csvOf(query);
    assert.equal(head.join(), HEADER);
    assert.deepEqual(
      rows.map((row) => row['Name']),
      Object.keys(set),
    );
    for (const row of rows) {
      const json = set[row['Name'] ?? ''] ?? {};
      for (const [column, value] of SUMMARY) assert.equal(Number(row[column]), value(json), column);
    }
  }
});

test('whatever is asked of sets, the eleven columns are of one', async () => {
  const of = 'window=3h&aggregate=namespace&step=1h';
  const [summed = {}, ...more] = await jsonOf(`${of}&accumulate=true`);
  assert.equal(more.length, 0);
  const { rows } = await csvOf(`${of}&accumulate=false`);
  const costs = rows.map(({ Name: name, Total: cost }) => [name, Number(cost)]);
  assert.deepEqual(
    costs,
    Object.entries(summed).map(([name, row]) => [name, number(row, 'totalCost')]),
  );
});

test('decimals=3 rounds numbers only', async () => {
  const whole = await csvOf('window=3h&aggregate=controller');
  const { rows } = await csvOf('window=3h&aggregate=controller&decimals=3');
  assert.equal(rows.length, whole.rows.length);
  rows.forEach((row, i) => {
    const exact = whole.rows[i] ?? {};
    assert.equal(row['Name'], exact['Name']);
    for (const [column] of SUMMARY) {
      assert.match(row[column] ?? '', /^-?\d+\.\d{3}$/);
      assert.ok(
        Math.abs(Number(row[column]) - Number(exact[column])) <= 0.0005 + 1e-12,
        `${column}: ${row[column]} for ${exact[column]}`,
      );
    }
  });
});

test('columns=full has a column a part of the key, and every field of the JSON', async () => {
  const query = 'window=3h&step=1h&aggregate=namespace,label:app';
  const sets = await jsonOf(query);
  const { head, rows } = await csvOf(`${query}&columns=full&accumulate=false`);
  assert.deepEqual(head.slice(0, 3), ['name', 'namespace', 'label:app']);
  const members = sets.flatMap((set) => Object.values(set));
  assert.equal(rows.length, members.length);
  const fields = Object.entries(members[0] ?? {}).filter(([, value]) => typeof value === 'number');
  for (const [field] of fields) assert.ok(head.includes(field), field);
  rows.forEach((row, i) => compareFull(row, members[i] ?? {}));
});

function compareFull(row: Record<string, string>, json: JsonRow): void {
  const { name, window, properties, accuracy } = json as {
    name: string;
    window: { start: string; end: string };
    properties: { labels?: Record<string, string> };
    accuracy: { lower: number | null; upper: number | null };
  };
  assert.equal(row['name'], name);
  assert.equal(`${row['namespace']}/${row['label:app']}`, name);
  assert.deepEqual([row['windowStart'], row['windowEnd']], [window.start, window.end]);
  for (const [field, value] of Object.entries(json)) {
    if (typeof value === 'number') assert.equal(Number(row[field]), value, field);
    else if (typeof value === 'string') assert.equal(row[field], value, field);
  }
  assert.equal(row['accuracyLower'], String(accuracy.lower ?? ''));
  assert.equal(row['accuracyUpper'], String(accuracy.upper ?? ''));
  assert.equal(row['labels'], podLabels(properties.labels));
}

test('without aggregate the parts are those of a row, and exact has no bounds', async () => {
  const { head, rows } = await csvOf('window=1h&columns=full&resolution=exact');
  const parts = ['cluster', 'node', 'namespace', 'pod', 'container'];
  assert.deepEqual(head.slice(0, 6), ['name', ...parts]);
  assert.ok(!head.includes('accuracyLower') && !head.includes('cpuCoreUsageMax'), String(head));
  for (const row of rows) assert.equal(parts.map((part) => row[part]).join('/'), row['name']);
  const { head: raw } = await csvOf('window=1h&columns=full&accumulate=false');
  assert.ok(raw.includes('cpuCoreUsageMax'), String(raw));
});

test('it comes as a file of its own name, and tells its warnings beside it', async () => {
  const url = `${server?.url}/model/allocation/compute?format=csv&aggregate=cluster`;
  const plain = await fetch(`${url}&window=1h&resolution=exact`);
  await plain.text();
  assert.equal(plain.headers.get('content-type'), 'text/csv; charset=utf-8');
  const attached = 'attachment; filename="allocation-2024-05-03-to-2024-05-03.csv"';
  assert.equal(plain.headers.get('content-disposition'), attached);
  assert.match(
    plain.headers.get('x-prorata-warnings') ?? '',
    /^volumes held by no claim: 1; [^;]*$/,
  );
  assert.equal(plain.headers.get('x-prorata-partial'), null);
  const early = await fetch(`${url}&window=2024-02-02T12:00:00Z,2024-02-03T03:00:00Z`);
  await early.text();
  assert.match(early.headers.get('x-prorata-warnings') ?? '', /first sample .* 2024-02-03/);
  assert.equal(early.headers.get('x-prorata-partial'), 'true');
});

const REFUSED: readonly (readonly [query: string, parameter: string])[] = [
  ['format=tsv', 'format'],
  ['format=csv&columns=all', 'columns'],
  ['format=csv&decimals=21', 'decimals'],
  ['format=csv&decimals=-1', 'decimals'],
  ['decimals=x', 'decimals'],
];
for (const [query, parameter] of REFUSED)
  test(`${query} is refused, naming ${parameter}`, async () => {
    const answer = await server?.compute(`window=1h&${query}`);
    assert.equal(answer?.status, 400);
    assert.equal((JSON.parse(answer?.text ?? '') as { parameter: string }).parameter, parameter);
  });
