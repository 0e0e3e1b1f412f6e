/** Summaries of stored sets, through the whole server, against the rows they are of. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { aggregationDay } from '../../support/aggregation-cases.ts';
import {
  errorOf,
  startBundleServer,
  type BundleServer,
} from '../../support/servers/bundle-server.ts';
import { storeSaved } from '../../support/stores/stored-folder.ts';

const DAY_MS = 86_400_000;
const WINDOW = '2026-01-13T00:00:00Z,2026-01-15T00:00:00Z';

type Numbers = Readonly<Record<string, number>>;
type Named = Readonly<Record<'name' | 'start' | 'end', string>>;
type Row = Numbers & Named;
type Rows = Readonly<Record<string, Row>>;
type Span = Readonly<Record<'start' | 'end', string>>;
interface Summary {
  readonly step: number;
  readonly sets: readonly { readonly allocations: Rows; readonly window: Span }[];
  readonly window: Span;
}
interface Topline {
  readonly numResults: number;
  readonly combined: { readonly allocations: { readonly total: Row }; readonly window: Span };
}

const COSTS = ['cpu', 'gpu', 'network', 'loadBalancer', 'pv', 'ram'] as const;
/** What a summary has as the row has it. */
const SAME = [
  'cpuCoreRequestAverage',
  'cpuCoreUsageAverage',
  'ramByteRequestAverage',
  'ramByteUsageAverage',
  'sharedCost',
  'externalCost',
  'totalEfficiency',
  'totalCost',
] as const;

/** All parameters of the allocation query. */
const QUERIES: readonly string[] = [
  'aggregate=namespace',
  'aggregate=namespace&accumulate=true',
  'aggregate=cluster,namespace&idle=false',
  'aggregate=controller&accumulate=week',
  '',
  'aggregate=namespace&shareIdle=true',
  'aggregate=namespace&shareIdle=weighted&idleByNode=true&accumulate=true',
  'aggregate=namespace&splitIdle=true&filterNamespaces=namespace1',
  'aggregate=namespace&shareNamespaces=namespace1&shareCost=30.42&shareSplit=even',
  'aggregate=pod&limit=2&offset=1&sortBy=cpuCost&costMetric=monthly',
];

let folder = '';
let server: BundleServer | undefined;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'prorata-summary-'));
  await storeSaved(folder, aggregationDay('node-idle'), [
    { shiftMs: 0, state: 'sealed' },
    { shiftMs: -DAY_MS, state: 'sealed' },
  ]);
  server = await startBundleServer([`--data-dir=${folder}`]);
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<Data>(path: string): Promise<Data> {
  const answer = await server?.ask(`/model/allocation${path}`);
  assert.equal(answer?.status, 200, answer?.text);
  const { code, data } = JSON.parse(answer.text) as { code: number; data: Data };
  assert.equal(code, 200);
  return data;
}

function isClose(actual: number | undefined, expected: number, what: string): void {
  const off = Math.abs((actual ?? NaN) - expected);
  assert.ok(off <= 1e-9 * Math.max(1, Math.abs(expected)), `${what}: ${actual}, not ${expected}`);
}

/** A row's cost with its adjustment. */
function adjusted(row: Numbers, kind: string): number {
  return (row[`${kind}Cost`] ?? NaN) + (row[`${kind}CostAdjustment`] ?? NaN);
}

function assertSummary(row: Row | undefined, of: Row, name: string): void {
  assert.ok(row, name);
  assert.equal(row.name, name);
  assert.deepEqual([row.start, row.end], [of.start, of.end]);
  for (const kind of COSTS) isClose(row[`${kind}Cost`], adjusted(of, kind), `${name}.${kind}`);
  for (const field of SAME) isClose(row[field], of[field] ?? NaN, `${name}.${field}`);
}

describe('a summary', () => {
  for (const query of QUERIES)
    test(`has the sets of the rows, oldest first, adjustments in the costs: ${query}`, async () => {
      const rows = await ask<readonly Rows[]>(`?window=${WINDOW}&${query}`);
      const { sets, window } = await ask<Summary>(`/summary?window=${WINDOW}&${query}`);
      assert.equal(sets.length, rows.length);
      const [start, end] = WINDOW.split(',');
      assert.deepEqual(window, { start, end });
      const places = [...sets.keys()].map((place) => rows[sets.length - 1 - place] ?? {});
      for (const [place, set] of sets.entries()) {
        const of = places[place] ?? {};
        assert.deepEqual(Object.keys(set.allocations), Object.keys(of));
        for (const [name, row] of Object.entries(of))
          assertSummary(set.allocations[name], row, name);
        const [first] = Object.values(of) as readonly { window?: Span }[];
        assert.deepEqual(set.window, first?.window);
      }
    });

  test('has two days one after the other, a day long', async () => {
    const { step, sets } = await ask<Summary>(`/summary?window=${WINDOW}&aggregate=cluster`);
    assert.equal(step, DAY_MS * 1e6);
    assert.deepEqual(
      sets.map(({ window }) => window.start),
      ['2026-01-13T00:00:00Z', '2026-01-14T00:00:00Z'],
    );
  });

  test('tells of shared idle what of each cost it is', async () => {
    const by = async (share: string): Promise<Rows> => {
      const query = `window=${WINDOW}&accumulate=true&aggregate=namespace&shareIdle=${share}`;
      return (await ask<Summary>(`/summary?${query}`)).sets[0]?.allocations ?? {};
    };
    const [plain, shared] = [await by('false'), await by('true')];
    let told = 0;
    for (const [name, row] of Object.entries(plain)) {
      if (name === '__idle__') continue;
      for (const kind of ['cpu', 'gpu', 'ram']) {
        const idle = shared[name]?.[`${kind}CostIdle`] ?? NaN;
        isClose(row[`${kind}CostIdle`], 0, `${name}.${kind}`);
        isClose(shared[name]?.[`${kind}Cost`], (row[`${kind}Cost`] ?? NaN) + idle, name);
        told += idle;
      }
    }
    isClose(told, plain['__idle__']?.['totalCost'] ?? NaN, 'idle');
    assert.ok(told > 0, 'there is idle to share');
  });

  test('as CSV has a column for each aggregate, then costs', async () => {
    const query = `window=${WINDOW}&aggregate=namespace,pod&format=csv`;
    const { status, contentType, text } = (await server?.ask(
      `/model/allocation/summary?${query}`,
    )) ?? { status: 0, contentType: '', text: '' };
    assert.equal(status, 200, text);
    assert.match(contentType, /^text\/csv/);
    const [header, idle, ...lines] = text.trimEnd().split('\n');
    assert.equal(
      header,
      'namespace,pod,cpuCost,ramCost,gpuCost,pvCost,networkCost,loadBalancerCost,externalCost,' +
        'totalCost,sharedCost',
    );
    assert.match(idle ?? '', /^__idle__,,/);
    const { sets } = await ask<Summary>(
      `/summary?${query}&accumulate=true`.replace('format=csv', ''),
    );
    const rows = Object.entries(sets[0]?.allocations ?? {}).slice(1);
    assert.equal(lines.length, rows.length);
    for (const [i, [name, row]] of rows.entries()) {
      const cells = lines[i]?.split(',') ?? [];
      assert.equal(cells.slice(0, 2).join('/'), name);
      assert.equal(Number(cells[9]), row['totalCost']);
    }
  });

  test('as NDJSON has the window beside each row', async () => {
    const query = `window=${WINDOW}&aggregate=namespace`;
    const { sets } = await ask<Summary>(`/summary?${query}`);
    const answer = await server?.ask(`/model/allocation/summary?${query}&format=ndjson`);
    const lines = (answer?.text ?? '').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      sets.flatMap(({ allocations, window }) =>
        Object.values(allocations).map((row) => ({ ...row, window })),
      ),
    );
  });
});

describe('a topline', () => {
  for (const query of QUERIES)
    test(`is the sum of all rows of all days, and how many: ${query}`, async () => {
      const all = query.replaceAll(/(limit|offset|accumulate)=[^&]*&?/g, '');
      const whole = `window=${WINDOW}&${all}&accumulate=true`;
      const rows = (await ask<Summary>(`/summary?${whole}`)).sets[0]?.allocations ?? {};
      const { numResults, combined } = await ask<Topline>(
        `/summary/topline?window=${WINDOW}&${query}`,
      );
      const { total } = combined.allocations;
      const names = Object.keys(rows).filter((name) => !name.endsWith('__idle__'));
      assert.equal(numResults, names.length);
      for (const field of Object.keys(total).filter((each) => /Cost(Idle)?$/.test(each))) {
        const sum = Object.values(rows).reduce((usd, row) => usd + (row[field] ?? NaN), 0);
        isClose(total[field], sum, field);
      }
      const [start, end] = WINDOW.split(',');
      assert.deepEqual(combined.window, { start, end });
      assert.deepEqual([total.name, total.start, total.end], ['total', start, end]);
    });

  test('is as efficient with idle as without', async () => {
    const of = async (idle: boolean): Promise<Row> =>
      (await ask<Topline>(`/summary/topline?window=${WINDOW}&idle=${idle}`)).combined.allocations
        .total;
    const [without, withIdle] = [await of(false), await of(true)];
    assert.ok((without['totalEfficiency'] ?? 0) > 0, 'an efficiency');
    isClose(withIdle['totalEfficiency'], without['totalEfficiency'] ?? NaN, 'efficiency');
    assert.ok((withIdle['totalCost'] ?? 0) > (without['totalCost'] ?? 0), 'idle costs');
  });

  test('is zero over the window where no row matches', async () => {
    const { numResults, combined } = await ask<Topline>(
      `/summary/topline?window=${WINDOW}&filterNamespaces=nowhere&idle=false`,
    );
    assert.equal(numResults, 0);
    const { total } = combined.allocations;
    assert.deepEqual([total.start, total.end], WINDOW.split(','));
    assert.equal(total['totalCost'], 0);
  });

  test('is no table', async () => {
    const answer = await server?.ask(
      `/model/allocation/summary/topline?window=${WINDOW}&format=csv`,
    );
    assert.ok(answer, 'an answer');
    assert.equal(answer.status, 400);
    assert.equal(errorOf(answer).parameter, 'format');
  });
});
