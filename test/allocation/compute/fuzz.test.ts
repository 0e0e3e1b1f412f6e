/** Requests made of anything, as bytes on a socket: never a 5xx, and the server lives. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { startBundleServer, type BundleServer } from '../../support/servers/bundle-server.ts';
import { HOUR_WINDOW, NOW, podStore } from '../../support/fleets/pod-store.ts';
import { startScriptedStore, type ScriptedStore } from '../../support/stores/scripted-store.ts';
import { measured } from '../../support/measured.ts';

const RUNS = 2000;
const SEED = 20240501;
const AT_ONCE = 8;

let store: ScriptedStore;
let server: BundleServer;

before(async () => {
  store = await startScriptedStore(podStore());
  server = await startBundleServer([`--metrics-url=${store.url}`, `--now=${NOW}`]);
});

after(async () => {
  await server.stop();
  await store.stop();
});

const NAMES = ['window', 'aggregate', 'resolution', 'step', 'accumulate', 'format', 'columns'];
const VALUES = [
  HOUR_WINDOW, '1h', '24h', 'today', 'lastweek', '2d+offset%201d', 'exact', '1m', '15m', 'true',
  'namespace', 'namespace,label:app', 'controller', 'csv', 'json', 'full', '0', '-1', '1e309',
  '2024-05-01T10:00:00Z', '1714557600,1714561200', '%zz', '%', '%00', '%C0%AF', '%F0%9F%98%80',
]; // prettier-ignore

/** What a request line may hold without being two: no blank, no control character. */
const visible = fc
  .string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)) })
  .filter((text) => !text.includes('\u007f'));
const value = fc.oneof(
  fc.constantFrom(...VALUES),
  visible,
  fc.array(fc.constantFrom(...VALUES)).map((list) => list.join(',')),
);
const pair = fc.tuple(fc.oneof(fc.constantFrom(...NAMES), visible), value).map((p) => p.join('='));
const queryText = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/model/allocation/compute', '/allocation/compute') },
  { weight: 1, arbitrary: fc.constantFrom('/', '/healthz', '/readyz', '/version', '/model', '//') },
  { weight: 1, arbitrary: visible.map((text) => `/${text}`) },
);
const target = fc
  .tuple(path, queryText, fc.boolean())
  .map(([where, query, isWindowed]) =>
    isWindowed ? `${where}?window=${HOUR_WINDOW}&${query}` : `${where}?${query}`,
  );

/** The status of the answer; 0 when the connection was closed without one. */
async function statusOf(asked: string): Promise<number> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  const head = `GET ${asked} HTTP/1.1\r\nHost: prorata\r\nConnection: close\r\n\r\n`;
  socket.write(Buffer.from(head, 'latin1'));
  let text = '';
  socket.setEncoding('latin1').on('data', (part: string) => {
    if (text.length < 100) text += part;
    if (text.length >= 13) socket.destroy();
  });
  await once(socket, 'close');
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
}

test(`P-I1: none of ${RUNS} random requests is answered 5xx, and the next is answered`, async (t) => {
  const targets = fc.sample(target, { numRuns: RUNS, seed: SEED });
  const seen = new Map<number, number>();
  const queue = targets.values();
  const client = async (): Promise<void> => {
    for (const asked of queue) {
      const status = await statusOf(asked);
      seen.set(status, (seen.get(status) ?? 0) + 1);
      assert.ok(status < 500, `${status} for ${asked}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  const told = JSON.stringify([...seen]);
  for (const status of [200, 400, 404]) assert.ok((seen.get(status) ?? 0) > 20, told);
  assert.equal(seen.get(0), undefined, told);
  measured(t, 'P-I1', `${RUNS} random requests, none answered 5xx`);
  assert.equal((await server.compute(`window=${HOUR_WINDOW}`)).status, 200);
  assert.deepEqual(server.errors, []);
});
