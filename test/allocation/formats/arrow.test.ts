/** Answers as Arrow over HTTP: the rows, the numbers and the texts that JSON tells. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { importHistory } from '../../../src/commands/import.ts';
import { arrowBatches, arrowNames } from '../../support/references/arrow-rows.ts';
import { podLabels } from '../../support/references/pod-labels.ts';
import { startProrata, type Prorata } from '../../support/servers/prorata.ts';
import { DAY_MS, FIRST_MS, savedAnswer, savedSet } from '../../support/stores/saved-days.ts';

const MEDIA_TYPE = 'application/vnd.apache.arrow.stream';
const home = mkdtempSync(join(tmpdir(), 'prorata-arrow-'));
let prorata: Prorata;

before(async () => {
  const days = [0, 1].map((day) =>
    savedSet(FIRST_MS + day * DAY_MS, { 'c/n/web/p/k': 1 + day, 'c/n/ü"/q/k': 2 }),
  );
  const file = join(home, 'days.json');
  writeFileSync(file, savedAnswer(...days));
  await importHistory(['allocations', file, '--data-dir', home, '--quiet']);
  prorata = await startProrata([
    '--demo=true',
    '--data-dir',
    home,
    '--now',
    '2026-01-17T00:00:00Z',
  ]);
});
after(async () => {
  await prorata.stop();
  rmSync(home, { recursive: true, force: true });
});

interface Row {
  readonly name: string;
  readonly start: string;
  readonly end: string;
  readonly window: { readonly start: string; readonly end: string };
  readonly properties: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

async function fetched(path: string, accept: string = '*/*'): Promise<Response> {
  const response = await fetch(`${prorata.url}${path}`, { headers: { accept } });
  assert.equal(response.status, 200, `${path}: ${response.status}`);
  return response;
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  assert.equal(response.headers.get('content-type'), MEDIA_TYPE);
  return new Uint8Array(await response.arrayBuffer());
}

const STORED = '/model/allocation?window=2026-01-13T00:00:00Z,2026-01-16T00:00:00Z';
const COMPUTED = '/allocation/compute?window=6h&step=2h&resolution=10m';

describe('a stream of Arrow tells what JSON tells', () => {
  for (const path of [
    STORED,
    `${STORED}&aggregate=namespace`,
    `${STORED}&aggregate=namespace&filter=namespace:"web"`,
    `${STORED}&aggregate=cluster,label:app&accumulate=true&costMetric=daily`,
    `${STORED}&limit=1`,
    COMPUTED,
    `${COMPUTED}&aggregate=cluster,namespace&idle=true`,
    `${COMPUTED}&filter=pod:"none"`,
  ])
    test(path, async () => {
      const json = (await (await fetched(path)).json()) as {
        data: Readonly<Record<string, Row>>[];
      };
      const batches = arrowBatches(await bytesOf(await fetched(`${path}&format=arrow`)));
      const sets = json.data.map((set) => Object.values(set));
      assert.deepEqual(
        batches.map((batch) => batch.length),
        sets.map((set) => set.length),
      );
      for (const [i, row] of sets.flat().entries()) {
        const got = batches.flat()[i] ?? {};
        const times = [row.window.start, row.window.end, row.start, row.end];
        assert.deepEqual(
          ['windowStart', 'windowEnd', 'start', 'end'].map((name) => got[name]),
          times.map((time) => Date.parse(time)),
        );
        for (const [name, value] of Object.entries(row)) {
          if (typeof value === 'number') assert.equal(got[name], value, `${row.name} ${name}`);
          if (name === 'name' || name === 'endSource') assert.equal(got[name], value);
        }
        assert.equal(String(got['labels'] ?? ''), podLabels(row.properties['label']));
        assert.equal(got['controller'], row.properties['controller'] ?? '');
      }
    });
});

test('an Accept header asks for it, and what comes after it is kept apart by caches', async () => {
  for (const path of [STORED, COMPUTED]) {
    const response = await fetched(path, `${MEDIA_TYPE}, application/json;q=0.5`);
    assert.equal(response.headers.get('vary'), 'accept');
    assert.ok(arrowBatches(await bytesOf(response)).length > 0, path);
  }
});

test('summaries have the columns of a summary', async () => {
  const path = STORED.replace('allocation', 'allocation/summary');
  const { data } = (await (await fetched(path)).json()) as {
    data: { sets: { allocations: Readonly<Record<string, { totalCost: number }>> }[] };
  };
  const stream = await bytesOf(await fetched(`${path}&format=arrow`));
  assert.ok(!arrowNames(stream).includes('pvs'), 'no properties');
  assert.deepEqual(
    arrowBatches(stream).map((batch) => batch.map((row) => [row['name'], row['totalCost']])),
    data.sets.map((set) =>
      Object.entries(set.allocations).map(([name, { totalCost }]) => [name, totalCost]),
    ),
  );
});

test('days that are not stored are told in a header, as batches without rows', async () => {
  const response = await fetched(`${STORED}&format=arrow`);
  assert.match(
    response.headers.get('x-prorata-warnings') ?? '',
    /2026-01-13T.* is not stored: the answer lacks it/,
  );
  assert.deepEqual(
    arrowBatches(await bytesOf(response)).map((batch) => batch.length),
    [2, 2, 0],
  );
});

test('without a set there is the schema alone', async () => {
  const stream = await bytesOf(await fetched(`${STORED}&accumulate=hour&format=arrow`));
  assert.deepEqual(arrowBatches(stream).flat(), []);
  assert.deepEqual(arrowNames(stream).slice(0, 3), ['name', 'cluster', 'node']);
});

test('texts of rows that a filter leaves out are not in it', async () => {
  const path = `${STORED}&filter=namespace:"web"&format=arrow`;
  const text = Buffer.from(await bytesOf(await fetched(path))).toString('utf8');
  assert.ok(text.includes('web') && !text.includes('ü"'), 'names of web alone');
});
