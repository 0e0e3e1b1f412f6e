/**
 * A server over several scripted stores: a store that fails is named, without it only where that is asked for, and each
 * store's state is told.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sealDay } from '../../src/allocation/build/seal-day.ts';
import { report } from '../../src/server/doctor/report.ts';
import { openSource } from '../../src/server/engine.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { createMemorySets } from '../../src/storage/index.ts';
import { Arena, createMemory } from '../../src/columnar/index.ts';
import { FIRST_MS, HOUR_WINDOW, LAST_MS, NOW, podStore } from '../support/fleets/pod-store.ts';
import { errorOf, startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { startBuilding } from '../support/stores/builds.ts';
import { answering, startScriptedStore, type ScriptedStore, type SeenRequest } from '../support/stores/scripted-store.ts'; // prettier-ignore

const QUERY = `window=${HOUR_WINDOW}&aggregate=cluster`;
const BUSY = answering(503, 'starting');
const NOT_FOUND = answering(404, '');
const folder = mkdtempSync(join(tmpdir(), 'prorata-stores-'));
const file = join(folder, 'stores.yaml');

let eu: ScriptedStore;
let us: ScriptedStore;
let isUsDown = false;

function isRead({ path, body }: SeenRequest): boolean {
  return path === '/api/v1/read' && body.length > 0;
}

before(async () => {
  const pods = podStore();
  eu = await startScriptedStore((response, request) =>
    (isRead(request) ? pods : NOT_FOUND)(response, request),
  );
  us = await startScriptedStore((response, request) =>
    (isUsDown ? BUSY : isRead(request) ? pods : NOT_FOUND)(response, request),
  );
  writeFileSync(join(folder, 'token'), 'secret-of-eu\n');
  writeFileSync(
    file,
    `- {name: eu, cluster: production, url: ${eu.url}, token-file: ${join(folder, 'token')}}
- {name: us, cluster: staging, url: ${us.url}, tenant: team-a|team-b, concurrency: 3}
`,
  );
});
after(async () => {
  await eu.stop();
  await us.stop();
  rmSync(folder, { recursive: true });
});

interface Rows {
  readonly data: readonly Readonly<Record<string, { readonly totalCost: number }>>[];
  readonly warnings?: readonly string[];
}

describe('a server over two stores', () => {
  let server: OwnServer;
  before(async () => {
    server = await startOwnServer([`--metrics-stores=${file}`, `--now=${NOW}`]);
  });
  after(() => server.stop());

  const rowsOf = (text: string): Rows => JSON.parse(text) as Rows;

  test('answers for both, and sends each its own credentials alone', async () => {
    const { status, text } = await server.compute(QUERY);
    assert.equal(status, 200, text);
    assert.deepEqual(Object.keys(rowsOf(text).data[0] ?? {}).toSorted(), ['production', 'staging']);
    const [ofEu, ofUs] = [eu.requests.at(-1)?.headers, us.requests.at(-1)?.headers];
    assert.deepEqual(
      [ofEu?.authorization, ofEu?.['x-scope-orgid'], ofUs?.authorization, ofUs?.['x-scope-orgid']],
      ['Bearer secret-of-eu', undefined, undefined, 'team-a|team-b'],
    );
    assert.ok(us.mostAtOnce <= 3, `${us.mostAtOnce} at once`);
  });

  test('answers 503 with the name of the one that fails; without it where that is asked for, and says so', async () => {
    isUsDown = true;
    try {
      const strict = await server.compute(QUERY);
      assert.equal(strict.status, 503);
      assert.match(
        errorOf(strict).message,
        /^cannot read \S+ at \S+: it answered 503: starting \(store 'us' of cluster 'staging'\)$/,
      );
      const partial = await server.compute(`${QUERY}&partialResponse=true`);
      assert.equal(partial.status, 200, partial.text);
      const { data, warnings = [] } = rowsOf(partial.text);
      assert.deepEqual(Object.keys(data[0] ?? {}), ['production']);
      assert.match(
        warnings.join(),
        /^store 'us' of cluster 'staging' is missing from this answer: cannot read .* answered 503: starting/,
      );
      const alone = await startOwnServer([
        `--metrics-url=${eu.url}`,
        '--cluster-id=production',
        `--now=${NOW}`,
      ]);
      const whole = await alone.compute(QUERY);
      await alone.stop();
      assert.deepEqual(data, rowsOf(whole.text).data);
      await assertState('down');
    } finally {
      isUsDown = false;
    }
    // It recovers by itself, and nothing of the partial answer is left.
    const again = await server.compute(`${QUERY}&partialResponse=true`);
    const { data, warnings = [] } = rowsOf(again.text);
    assert.deepEqual(Object.keys(data[0] ?? {}).toSorted(), ['production', 'staging']);
    assert.doesNotMatch(warnings.join(), /missing/);
    await assertState('up');
  });

  async function assertState(state: string): Promise<void> {
    const ready = await server.ask('/readyz?verbose');
    const { stores } = JSON.parse(ready.text) as {
      stores: readonly { name: string; cluster: string; state: string; lastError?: string }[];
    };
    assert.deepEqual(
      stores.map((one) => [one.name, one.cluster, one.state]),
      [
        ['eu', 'production', 'up'],
        ['us', 'staging', state],
      ],
    );
    assert.match(stores[1]?.lastError ?? '', /it answered 503: starting/);
    assert.doesNotMatch(ready.text, /secret/);
    const { text } = await server.ask('/metrics');
    assert.match(
      text,
      new RegExp(`prorata_metrics_store_up\\{store="us"\\} ${state === 'up' ? 1 : 0}`),
    );
    assert.match(text, /prorata_metrics_store_read_errors_total\{store="us"\} [1-9]/);
    assert.match(text, /prorata_metrics_store_reads_allowed\{store="eu"\} \d/);
  }
});

test('a day is never sealed while a store of another cluster cannot be read', async () => {
  const building = await startBuilding([`--metrics-stores=${file}`]);
  const { signal } = new AbortController();
  const day = { startMs: FIRST_MS, endMs: LAST_MS };
  isUsDown = true;
  await assert.rejects(sealDay(building, day, Date.parse(NOW), signal), /store 'us' of cluster/);
  assert.deepEqual(building.sets.list('allocations'), []);
  isUsDown = false;
  assert.equal(await sealDay(building, day, Date.parse(NOW), signal), true);
  const clusters = await building.rows('allocations', [FIRST_MS, LAST_MS], (table) => {
    const column = table.text('cluster');
    return new Set([...(column?.codes ?? [])].map((code) => column?.texts.text(code) ?? ''));
  });
  assert.deepEqual([...clusters].toSorted(), ['production', 'staging']);
  await building.close();
});

test('the doctor tells of each store by itself', async () => {
  const { config } = loadConfig([`--metrics-stores=${file}`], {}, () => '');
  const source = openSource(config);
  const sets = createMemorySets({ arena: new Arena(createMemory(1 << 20)), owner: 1 });
  isUsDown = true;
  const findings = await report(config, { source, sets });
  isUsDown = false;
  await source.close();
  const of = (section: string): string[] =>
    findings.filter((one) => one.section === section).map((one) => `${one.name}: ${one.value}`);
  assert.ok(of('metrics store eu').includes('cluster: production'));
  assert.match(of('metrics store eu').join('\n'), /reader: remote-read/);
  assert.match(of('metrics store us').join('\n'), /answers: cannot read .* answered 503: starting/);
});
