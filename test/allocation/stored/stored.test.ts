/** The allocation query over stored sets, through the whole server. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { aggregationCases, aggregationDay } from '../../support/aggregation-cases.ts';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { storeSaved } from '../../support/stores/stored-folder.ts';

const DAY_MS = 86_400_000;
/** Midnight of the fixture's day. */
const FIRST_MS = Date.UTC(2026, 0, 14);

type Row = Readonly<Record<string, number>> & {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly window: Readonly<Record<'start' | 'end', string>>;
};
interface Body {
  readonly code: number;
  readonly data: readonly Readonly<Record<string, Row>>[];
  readonly warnings?: readonly string[];
}

const KINDS = ['cpu', 'gpu', 'ram', 'pv', 'network', 'loadBalancer'] as const;

/** Total, the kinds with their adjustments, shared. */
function costsOf(row: Row): number[] {
  const kinds = KINDS.map(
    (kind) => (row[`${kind}Cost`] ?? NaN) + (row[`${kind}CostAdjustment`] ?? NaN),
  );
  return [row['totalCost'] ?? NaN, ...kinds, row['sharedCost'] ?? NaN];
}

describe('a stored day', () => {
  const folders = new Map<string, string>();
  const servers = new Map<string, BundleServer>();

  before(async () => {
    for (const set of ['cluster-idle', 'node-idle']) {
      const folder = mkdtempSync(join(tmpdir(), 'prorata-stored-'));
      folders.set(set, folder);
      await storeSaved(folder, aggregationDay(set), [
        { shiftMs: 0, state: 'sealed' },
        { shiftMs: -DAY_MS, state: 'sealed' },
        { shiftMs: DAY_MS, state: 'partial' },
      ]);
      servers.set(set, await startBundleServer([`--data-dir=${folder}`]));
    }
  });

  after(async () => {
    for (const server of servers.values()) await server.stop();
    for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
  });

  const ask = async (set: string, query: string, status: number = 200): Promise<Body> => {
    const server = servers.get(set);
    assert.ok(server, 'a server');
    const answer = await server.ask(`/model/allocation?${query}`);
    assert.equal(answer.status, status, answer.text);
    return JSON.parse(answer.text) as Body;
  };
  const DAY = windowOf(0, 1);

  for (const one of aggregationCases())
    test(`${one.id}: ${one.query}`, async () => {
      const { data } = await ask(one.set, `window=${DAY}&${one.query}`);
      assert.equal(data.length, 1);
      const [set = {}] = data;
      assert.deepEqual(Object.keys(set).toSorted(), Object.keys(one.expected).toSorted());
      for (const [name, wanted] of Object.entries(one.expected)) {
        const row = set[name];
        assert.ok(row, name);
        const got = costsOf(row);
        (typeof wanted === 'number' ? [wanted] : wanted).forEach((value, i) => {
          const off = Math.abs((got[i] ?? NaN) - value);
          assert.ok(off < 1e-5, `${name}[${i}]: ${got[i]} for ${value}`);
        });
      }
    });

  test('a window is answered by every day it overlaps, the newest first', async () => {
    const { data } = await ask('cluster-idle', `window=${windowOf(-0.5, 1.5)}&aggregate=cluster`);
    const starts = data.map((set) => Object.values(set)[0]?.window.start);
    assert.deepEqual(
      starts,
      [1, 0, -1].map((day) => instant(day)),
    );
  });

  test('sets accumulate to one, whose costs are their sum', async () => {
    const window = windowOf(-1, 2);
    const { data: days } = await ask('cluster-idle', `window=${window}&aggregate=namespace`);
    const { data } = await ask(
      'cluster-idle',
      `window=${window}&aggregate=namespace&accumulate=true`,
    );
    assert.equal(data.length, 1);
    for (const [name, row] of Object.entries(data[0] ?? {})) {
      const sum = days.reduce((total, set) => total + (set[name]?.['totalCost'] ?? NaN), 0);
      assert.ok(Math.abs(sum - (row['totalCost'] ?? NaN)) < 1e-9 * Math.abs(sum), name);
      assert.equal(row.window.start, instant(-1));
      assert.equal(row.window.end, instant(2));
    }
  });

  test('the properties shown do not depend on earlier queries', async () => {
    const shown = async (limit: number): Promise<unknown[]> => {
      const query = `window=${DAY}&aggregate=namespace&limit=${limit}`;
      const { data } = await ask('cluster-idle', query);
      return Object.values(data[0] ?? {}).map(({ properties }) => properties);
    };
    const first = await shown(1001);
    for (const query of ['aggregate=pod', 'aggregate=label:app', '', 'aggregate=service']) {
      await ask('cluster-idle', `window=${DAY}&idle=false&${query}`);
      await ask('cluster-idle', `window=${DAY}&splitIdle=true&${query}`);
    }
    assert.deepEqual(await shown(1002), first);
    const others = await ask(
      'cluster-idle',
      `window=${DAY}&aggregate=namespace&external=true&limit=9`,
    );
    const properties = Object.values(others.data[0] ?? {}).map((row) => row.properties);
    assert.deepEqual(properties, first);
  });

  test('rates of one answer leave the costs of the next alone', async () => {
    const query = `window=${DAY}&aggregate=cluster`;
    const before = await ask('cluster-idle', `${query}&limit=1003`);
    await ask('cluster-idle', `${query}&costMetric=hourly`);
    assert.deepEqual(await ask('cluster-idle', `${query}&limit=1004`), before);
  });

  test('a day that is not stored is empty, and the answer says so', async () => {
    const { data, warnings } = await ask('cluster-idle', `window=${windowOf(-3, 0)}`);
    assert.deepEqual(
      data.map((set) => Object.keys(set).length > 0),
      [true, false, false],
    );
    assert.match(warnings?.join('\n') ?? '', /not stored/);
  });

  test('sealed days have an entity tag, by which they need not be sent again', async () => {
    const server = servers.get('cluster-idle');
    const url = `${server?.url ?? ''}/model/allocation?aggregate=namespace&window=`;
    const first = await fetch(url + DAY);
    await first.arrayBuffer();
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^".+"$/);
    const again = await fetch(url + DAY, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    assert.equal((await again.arrayBuffer()).byteLength, 0);
    const other = await fetch(`${url}${DAY}&idle=false`, { headers: { 'if-none-match': etag } });
    assert.equal(other.status, 200);
    assert.notEqual(other.headers.get('etag'), etag);
    await other.arrayBuffer();
    const partial = await fetch(url + windowOf(1, 2));
    assert.equal(partial.headers.get('etag'), null);
    await partial.arrayBuffer();
  });

  test('P-C6: a damaged day is told of and set aside, never shown as zero', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prorata-damaged-'));
    await storeSaved(folder, aggregationDay('cluster-idle'), [
      { shiftMs: 0, state: 'sealed' },
      { shiftMs: DAY_MS, state: 'sealed' },
    ]);
    const server = await startBundleServer([`--data-dir=${folder}`]);
    try {
      // Read once before, so that the server has the file's directory, but not these columns.
      const [first = ''] = readdirSync(join(folder, 'sets')).toSorted();
      const path = join(folder, 'sets', first);
      const bytes = readFileSync(path);
      for (let at = 1024; at < bytes.length / 2; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
      writeFileSync(path, bytes);
      const query = `/model/allocation?window=${windowOf(0, 2)}&aggregate=namespace`;
      for (const round of ['found', 'known']) {
        const { status, text } = await server.ask(query);
        assert.equal(status, 200, `${round}: ${text}`);
        const { data, warnings } = JSON.parse(text) as Body;
        assert.deepEqual(
          data.map((set) => Object.keys(set).length > 0),
          [true, false],
          round,
        );
        assert.match(warnings?.join('\n') ?? '', /damaged/, round);
      }
      assert.deepEqual(server.errors, []);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('the demo adds nothing to a folder of real days', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'prorata-history-'));
    await storeSaved(folder, aggregationDay('cluster-idle'), [{ shiftMs: 0, state: 'sealed' }]);
    const server = await startBundleServer([`--data-dir=${folder}`, '--refresh=1s']);
    try {
      const { text } = await server.ask('/readyz?verbose');
      assert.ok(!text.includes('backfill'), text);
      const { text: now } = await server.ask('/model/allocation?window=2d');
      const { data } = JSON.parse(now) as Body;
      assert.ok(
        data.every((set) => Object.keys(set).length === 0),
        now,
      );
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('a CSV is of one accumulated set, idle first', async () => {
    const server = servers.get('cluster-idle');
    const { status, contentType, text } = (await server?.ask(
      `/model/allocation?window=${windowOf(-1, 2)}&aggregate=namespace&format=csv`,
    )) ?? { status: 0, contentType: '', text: '' };
    assert.equal(status, 200);
    assert.match(contentType, /^text\/csv/);
    const [header, first] = text.split('\n');
    assert.equal(
      header,
      'Name,CPU,GPU,RAM,PV,Network,LoadBalancer,External,Shared,Efficiency,Total',
    );
    assert.match(first ?? '', /^__idle__,/);
  });
});

/** So many days after it. */
function instant(day: number): string {
  return new Date(FIRST_MS + day * DAY_MS).toISOString().replace('.000Z', 'Z');
}

function windowOf(from: number, to: number): string {
  return `${instant(from)},${instant(to)}`;
}
