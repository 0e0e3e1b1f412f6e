/**
 * What is asked wrongly of stored sets: each parameter with every mistake has its own clear error,
 * and odd names are names like others.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { folderOf, rowSet, type StoredRow } from '../../support/stores/columns-folder.ts';
import { MISTAKES, WINDOW_MISTAKES } from '../../support/arbitraries/stored-mistakes.ts';
import {
  errorOf,
  startBundleServer,
  type BundleServer,
} from '../../support/servers/bundle-server.ts';
import { DAY_MS, FIRST_MS } from '../../support/stores/stored-sets.ts';

const PATHS = ['', '/summary', '/summary/topline'] as const;
const GOOD = 'window=2024-05-01T00:00:00Z,2024-05-02T00:00:00Z';
const row = (pod: string, cpuCost: number, more: Partial<StoredRow> = {}): StoredRow => ({
  texts: { cluster: 'one', node: 'n', namespace: 'web', pod, container: 'main' },
  numbers: { cpuCost, cpuCoreHours: cpuCost },
  ...more,
});
/** JSON.parse gives a member of that name; a literal would set the prototype. */
const PROTO = JSON.parse('{"__proto__":"x"}') as Readonly<Record<string, string>>;
const FORMULAS = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://x","y")'];
const ROWS: readonly StoredRow[] = [
  row('proto', 1, { labels: PROTO }),
  row('constructor', 2, { labels: { constructor: 'c' } }),
  row('dash', 4, { labels: { 'a-b': 'dash' } }),
  row('underscore', 8, { labels: { a_b: 'underscore' } }),
  row('both', 16, { labels: { 'a-b': 'first', a_b: 'second' } }),
  ...FORMULAS.map((pod, i) => row(pod, 32 * 2 ** i)),
];
const TOTAL = ROWS.reduce((sum, { numbers }) => sum + (numbers?.['cpuCost'] ?? 0), 0);

let folder = '';
let server: BundleServer;
before(async () => {
  const day = { startMs: FIRST_MS, endMs: FIRST_MS + DAY_MS };
  folder = await folderOf([await rowSet(day, ROWS)]);
  server = await startBundleServer([
    `--data-dir=${folder}`,
    '--timezone=UTC',
    '--now=2024-05-05T00:00:00Z',
  ]);
});
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Rows = Readonly<Record<string, Readonly<Record<string, number>>>>;

async function rowsOf(query: string): Promise<Rows> {
  const answer = await server.ask(`/model/allocation?${GOOD}&${query}`);
  assert.equal(answer.status, 200, answer.text);
  return (JSON.parse(answer.text) as { data: readonly Rows[] }).data[0] ?? {};
}

/** Each of the three paths in turn: they read their parameters alike. */
let turn = 0;
const nextPath = (): string => PATHS[turn++ % PATHS.length] ?? '';

async function refuses(
  query: string,
  parameter: string,
  shows: string,
  status: number = 400,
): Promise<void> {
  const path = nextPath();
  const answer = await server.ask(`/model/allocation${path}?${query}`);
  const what = `${path} ${query.slice(0, 200)}: ${answer.text}`;
  assert.equal(answer.status, status, what);
  assert.equal(answer.contentType, 'application/json', what);
  const error = errorOf(answer);
  assert.equal(error.code, status, what);
  assert.equal(error.data, null, what);
  assert.equal(error.parameter, parameter, what);
  assert.ok(error.message.startsWith(`parameter '${parameter}'`), what);
  assert.ok(error.message.includes(shows), `${what} should show ${shows}`);
  assert.ok(error.message.length < 1000, what);
  assert.ok(error.hint !== undefined && error.hint !== '', what);
}

async function accepts(query: string): Promise<void> {
  const path = nextPath();
  const answer = await server.ask(`/model/allocation${path}?${query}`);
  assert.equal(answer.status, 200, `${path} ${query.slice(0, 200)}: ${answer.text}`);
}

/** A value as clients write it: commas and colons as they are. */
function encode(value: string): string {
  return encodeURIComponent(value).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

async function stillAnswers(): Promise<void> {
  const rows = await rowsOf('aggregate=namespace');
  assert.equal(rows['web']?.['totalCost'], TOTAL);
  assert.deepEqual(server.errors, []);
}

describe('a window', () => {
  for (const each of WINDOW_MISTAKES) {
    const [value, shows = `'${value}'`, status] = typeof each === 'string' ? [each] : each;
    test(`is refused for ${value.slice(0, 60)}`, () =>
      refuses(`window=${encode(value)}`, 'window', shows, status));
  }
  test('is required, also when it is empty', async () => {
    for (const query of ['', 'window', 'window=', 'aggregate=pod']) {
      await refuses(query, 'window', 'missing');
    }
  });
  test('comes once', () => refuses(`${GOOD}&${GOOD}`, 'window', '2 times'));
  for (const path of [
    '/model/allocation',
    '/allocation',
    '/model/allocation/compute',
    '/allocation/compute',
  ])
    test(`in the future has sets that are empty, and a warning: ${path}`, async () => {
      const future = 'window=2030-01-01T00:00:00Z,2030-01-02T00:00:00Z';
      for (const query of ['', '&idle=true', '&aggregate=namespace&shareIdle=true&shareCost=5']) {
        const answer = await server.ask(`${path}?${future}${query}`);
        const message = 'the window lies in the future: nothing is known of it yet';
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(JSON.parse(answer.text), {
          code: 200,
          ...(path.startsWith('/model/') ? {} : { status: 'success' }),
          data: [{}],
          warnings: [message],
          warningDetails: [{ message, cost: null, clusters: [], nodes: [] }],
          uncertainCost: 0,
        });
      }
    });
});

const LISTS = /^(filter[A-Z]\w*|aggregate|shareNamespaces|shareLabels)$/;

for (const [name, { refused, accepted }] of Object.entries(MISTAKES)) {
  describe(name, () => {
    if (refused.length > 0)
      test('P-I1: is refused with what came, what is accepted and a hint', async () => {
        for (const each of refused) {
          const [value, shows = `'${value}'`, status] = typeof each === 'string' ? [each] : each;
          const query = `${GOOD}&${name}=${encode(value)}`;
          await refuses(query, name, shows, status);
        }
      });
    const isList = LISTS.test(name);
    test(isList ? 'may come item by item' : 'comes once', async () => {
      const value = encode(accepted[0] ?? '');
      for (const twice of [`${name}=${value}&${name}=${value}`, `${name}=&${name}=`])
        if (isList) await accepts(`${GOOD}&${twice}`);
        else await refuses(`${GOOD}&${twice}`, name, '2 times');
    });
    test('is UTF-8', async () => {
      for (const bytes of ['%zz', '%', '%C0%AF', 'a%00']) {
        await refuses(`${GOOD}&${name}=${bytes}`, name, `'${bytes}'`);
      }
    });
    test('is answered where it is right, unset or empty', async () => {
      for (const value of ['', ...accepted]) {
        await accepts(`${GOOD}&${name}=${encode(value)}`);
      }
      await accepts(`${GOOD}&${name}`);
    });
  });
}

test('what is not known is ignored, also more than once', () =>
  accepts(`${GOOD}&page=1&page=2&__proto__=1&constructor=x&toString=&=`));

test('a query longer than 32 KiB is refused as such', async () => {
  for (const path of PATHS) {
    const answer = await server.ask(
      `/model/allocation${path}?${GOOD}&filterPods=${'a,'.repeat(17_000)}`,
    );
    assert.equal(answer.status, 414);
    assert.match(errorOf(answer).message, /at most 32768/);
  }
});

describe('a label', () => {
  const NAMES: readonly (readonly [label: string, value: string, usd: number])[] = [
    ['__proto__', 'x', 1],
    ['constructor', 'c', 2],
    ['a-b', 'dash', 4],
    ['a_b', 'dash', 4],
    ['a-b', 'underscore', 8],
    ['a_b', 'underscore', 8],
  ];
  for (const [label, value, usd] of NAMES)
    test(`S-5: ${label}=${value} groups, filters and shares as any other`, async () => {
      const name = `${label.replace('-', '_')}=${value}`;
      assert.equal((await rowsOf(`aggregate=label:${label}`))[name]?.['totalCost'], usd);
      const filtered = await rowsOf(`aggregate=cluster&filterLabels=${label}:${value}`);
      assert.equal(filtered['one']?.['totalCost'], usd);
      const both = await rowsOf(`aggregate=cluster&filter=label[${label}]:"${value}"`);
      assert.equal(both['one']?.['totalCost'], usd);
      const shared = await rowsOf(`aggregate=cluster&shareLabels=${label}:${value}`);
      assert.equal(shared['one']?.['sharedCost'], usd);
      assert.equal(shared['one']['totalCost'], TOTAL);
    });

  test('in two spellings is found by either value', async () => {
    for (const value of ['first', 'second']) {
      const rows = await rowsOf(`aggregate=pod&filter=label[a-b]:"${value}"`);
      assert.deepEqual(Object.keys(rows), ['both']);
    }
  });

  test('in the answer is as it was stored', async () => {
    const answer = await server.ask(`/model/allocation?${GOOD}&filterPods=proto,both`);
    assert.match(answer.text, /"labels":\{"__proto__":"x"\}/);
    assert.match(answer.text, /"labels":\{"a-b":"first","a_b":"second"\}/);
  });
});

describe('a cell that a spreadsheet would run', () => {
  const FORMS: readonly (readonly [query: string, column: number])[] = [
    ['/model/allocation?aggregate=pod&format=csv', 0],
    ['/model/allocation?aggregate=pod&format=csv&columns=full', 1],
    ['/model/allocation/summary?aggregate=pod&format=csv', 0],
    ['/model/allocation/summary?aggregate=pod&format=csv&columns=full', 1],
  ];
  for (const [path] of FORMS)
    test(`is text in ${path}`, async () => {
      const { status, text } = await server.ask(`${path}&${GOOD}`);
      assert.equal(status, 200, text);
      for (const pod of FORMULAS) {
        const quoted = /["\r,]/.test(pod);
        const cell = quoted ? `"'${pod.replaceAll('"', '""')}"` : `'${pod}`;
        assert.ok(text.includes(`${cell},`), `${JSON.stringify(pod)} in ${text}`);
      }
      assert.doesNotMatch(text, /(^|[,\n])"?[=+@\t\r]/);
    });
});

test('nothing of all that is felt by a good query', stillAnswers);
