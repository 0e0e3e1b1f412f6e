/** `/readyz` of a server whose builder fails: stored days are still answered, and the error is named. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { testSeries, worldSeries } from '../../support/fleets/world.ts';
import { startOwnServer, type OwnServer } from '../../support/servers/own-server.ts';
import {
  answering,
  startScriptedStore,
  type ScriptedStore,
} from '../../support/stores/scripted-store.ts';
import { remoteReads } from '../../support/stores/series-store.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 4, 1);
const NOW_MS = START_MS + 12 * HOUR_MS;
const SERIES = testSeries(
  worldSeries({
    cluster: 'own',
    lacks: new Set(),
    scraped: { startMs: START_MS, endMs: NOW_MS, everyMs: 300_000 },
  }),
);

let store: ScriptedStore;
let server: OwnServer;

before(async () => {
  const reads = remoteReads(() => SERIES);
  store = await startScriptedStore((response, request) =>
    (request.path === '/api/v1/read' ? answering(500, 'out of disk') : reads)(response, request),
  );
  server = await startOwnServer([
    `--metrics-url=${store.url}`,
    '--metrics-reader=remote-read',
    `--now=${new Date(NOW_MS).toISOString()}`,
    '--retention=1d',
    '--refresh=5m',
    '--workers=1',
  ]);
});
after(async () => {
  await server.stop();
  await store.stop();
});

interface Ready {
  readonly ready: boolean;
  readonly builder?: string;
  readonly backfill?: { readonly done: number; readonly failing: readonly string[] };
}

async function readyOnce(path: string, isMeant: (ready: Ready) => boolean): Promise<Ready> {
  for (;;) {
    const { status, text } = await server.ask(path);
    assert.equal(status, 200, text);
    const ready = JSON.parse(text) as Ready;
    if (isMeant(ready)) return ready;
    await sleep(20);
  }
}

test('a builder that fails is named without details, and with them the error', async () => {
  const { ready } = await readyOnce('/readyz', ({ builder }) => builder === 'failing');
  assert.equal(ready, true);
  const isNamed = (reason: string): boolean => reason.endsWith('it answered 500: out of disk');
  await readyOnce('/readyz?verbose', ({ backfill }) => backfill?.failing.some(isNamed) === true);
});
