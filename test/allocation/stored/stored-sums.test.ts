/** Random stored days, asked for over HTTP: every question adds up to the days. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { IDENTITY_COLUMNS, MEASURES, TEXT_COLUMNS } from '../../../src/allocation/row/schema.ts';
import { Arena, Owners } from '../../../src/columnar/index.ts';
import { encodeSet, openArrowFiles } from '../../../src/storage/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { anyDay, tableOf } from '../../support/stores/set-days.ts';
import { COSTS, type Alloc } from '../../support/references/set-query-reference.ts';

const DAY_MS = 86_400_000;
const DAYS = 12;
const DAYS_STORED = fc
  .sample(anyDay, { seed: 11, numRuns: 3 * DAYS })
  .filter((day) => day.length > 4)
  .slice(0, DAYS);

async function store(folder: string): Promise<void> {
  const arena = new Arena(dirtyMemory(64 << 20));
  const owner = new Owners(arena).take();
  const sets = await openArrowFiles({ folder, arena, note: () => undefined });
  for (const [i, day] of DAYS_STORED.entries()) {
    const table = tableOf(arena, owner, day);
    for (const name of ['startMs', 'endMs']) {
      const times = table.numbers(name)?.values ?? new Float64Array();
      times.forEach((ms, row) => (times[row] = ms + i * DAY_MS));
    }
    await sets.write([
      await encodeSet({
        key: { kind: 'allocations', startMs: i * DAY_MS, endMs: (i + 1) * DAY_MS },
        meta: { state: 'sealed', timezone: 'UTC', createdMs: 0, source: 'random', warnings: [] },
        table,
        texts: [...IDENTITY_COLUMNS, ...TEXT_COLUMNS, 'pvs', 'endSource'],
        numbers: ['startMs', 'endMs', 'endUncertaintyMs', ...MEASURES.map((m) => m.column)],
      }),
    ]);
  }
  await sets.close();
}

type Set = Readonly<Record<string, Readonly<Record<'totalCost', number>>>>;

/** USD of each day as it is stored. */
function totalOf(day: readonly Alloc[]): number {
  return day.reduce(
    (sum, { amounts }) => sum + COSTS.reduce((total, name) => total + (amounts[name] ?? 0), 0),
    0,
  );
}

const WINDOW = `window=1970-01-01T00:00:00Z,1970-01-${DAYS + 1}T00:00:00Z`;
const BASES = [
  'external=true',
  'external=true&aggregate=namespace',
  'external=true&aggregate=cluster,label:team&splitIdle=true&idleByNode=true',
  'external=true&aggregate=cluster&shareIdle=weighted',
  'external=true&aggregate=namespace&shareIdle=true&idleByNode=true',
  'external=true&aggregate=pod&shareNamespaces=a',
  'external=true&aggregate=namespace&shareLabels=team:red&shareSplit=even&shareIdle=true',
  'external=true&aggregate=label:team&shareNamespaces=b,e&shareIdle=true',
] as const;
const FILTERS = [
  ['filter=namespace:"a"', 'filter=namespace!:"a"'],
  ['filter=cluster:"c"+namespace:"b"', 'filter=cluster!:"c"|namespace!:"b"'],
  ['filter=label[team]:"red"', 'filter=label[team]!:"red"'],
] as const;

describe('random stored days', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prorata-sums-'));
  let server: BundleServer;

  before(async () => {
    await store(folder);
    server = await startBundleServer([`--data-dir=${folder}`]);
  });
  after(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (from: BundleServer, query: string): Promise<string> => {
    const path = `/model/allocation?${WINDOW}&${query}`
      .replaceAll('"', '%22')
      .replaceAll('|', '%7C');
    const { status, text } = await from.ask(path.replaceAll('+', '%2B'));
    assert.equal(status, 200, `${query}: ${text}`);
    return text;
  };
  /** USD of each set, the oldest first. */
  const totals = async (query: string): Promise<number[]> => {
    const { data } = JSON.parse(await ask(server, query)) as { data: readonly Set[] };
    assert.ok(data.length > 0, `${query}: an answer has sets`);
    return data
      .map((set) => Object.values(set).reduce((sum, { totalCost }) => sum + totalCost, 0))
      .toReversed();
  };
  const close = (a: number, b: number, what: string): void => {
    const off = Math.abs(a - b);
    assert.ok(off <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b)), `${what}: ${a} and ${b}`);
  };

  for (const base of BASES) {
    test(`${base}: each day adds up to what is stored, and so do all together`, async () => {
      const stored = DAYS_STORED.map(totalOf);
      const each = await totals(base);
      assert.equal(each.length, DAYS);
      each.forEach((total, i) => close(total, stored[i] ?? NaN, `day ${i}`));
      const [sum = NaN] = await totals(`${base}&accumulate=true`);
      close(
        sum,
        stored.reduce((a, b) => a + b, 0),
        'all',
      );
    });

    for (const [filter, complement] of FILTERS)
      test(`${base}&${filter} and its complement add up to the whole`, async () => {
        const [some, others, all] = await Promise.all([
          totals(`${base}&${filter}`),
          totals(`${base}&${complement}`),
          totals(base),
        ]);
        assert.equal(all.length, DAYS);
        all.forEach((total, i) => close((some[i] ?? NaN) + (others[i] ?? NaN), total, `day ${i}`));
      });
  }

  test('1, 2 and 4 workers answer with the same bytes', async () => {
    const queries = BASES.flatMap((base) => [
      base,
      `${base}&accumulate=true`,
      `${base}&accumulate=week&${FILTERS[0][0]}`,
      `${base}&limit=3&sortBy=cpuCost`,
      `${base}&format=csv&columns=full&accumulate=false`,
    ]);
    const wanted = await Promise.all(queries.map((query) => ask(server, query)));
    await server.stop();
    for (const workers of [1, 2, 4]) {
      server = await startBundleServer([`--data-dir=${folder}`, `--workers=${workers}`]);
      for (const [i, query] of queries.entries()) {
        assert.equal(await ask(server, query), wanted[i], `${workers} workers: ${query}`);
      }
      if (workers < 4) await server.stop();
    }
  });
});
