/** Servers that begin while their store is away, as users start them. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Fault, Unavailable } from '../../../src/query/index.ts';
import { StoreWait } from '../../../src/server/parts/store-wait.ts';
import { startReplicas, until } from '../../support/servers/replicas.ts';
import { parsed } from '../../support/servers/server-process.ts';

const BIN = fileURLToPath(new URL('../../../src/prorata.js', import.meta.url));
const DAY = 'window=2024-05-02T00:00:00Z,2024-05-03T00:00:00Z';
const world = await startReplicas(['--now=2024-05-03T08:00:00Z']);
after(() => world.stop());

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('a server whose bucket is away at the start says so with 503, and answers once it is back', async () => {
  world.isFailing = () => true;
  const port = await freePort();
  const starting = world.start([`--port=${port}`, '--demo=false']);
  const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  const alive = await until(
    60_000,
    () => at('/healthz'),
    ({ status }) => status === 200,
  );
  assert.deepEqual(await alive.answer.json(), { status: 'ok' });
  const asked = await at(`/model/allocation?${DAY}`);
  assert.deepEqual([asked.status, asked.headers.get('retry-after')], [503, '2']);
  assert.deepEqual(await asked.json(), {
    code: 503,
    message: 'the store of this server does not answer',
    data: null,
    hint: 'the server waits for it; its log says why',
  });
  const ready = await at('/readyz');
  const told = { ready: false, reason: 'the store of this server does not answer' };
  assert.deepEqual([ready.status, await ready.json()], [503, told]);
  world.isFailing = () => false;
  const server = await starting;
  assert.equal(server.port, port);
  assert.equal((await at('/readyz')).status, 200);
  const answered = await at(`/model/allocation?${DAY}`);
  assert.equal(answered.status, 200, await answered.text());
  const warned = server.lines.flatMap(parsed).filter(({ msg }) => msg.includes('does not answer'));
  assert.equal(warned.length, 1, 'a failure is told once');
  assert.match(JSON.stringify(warned[0]), /s3:\/\/sets\/costs.*503 SlowDown/);
  assert.equal(await server.stop(), 0);
});

test('SIGTERM ends a server that waits for its store', async () => {
  const port = await freePort();
  const args = [BIN, 'serve', `--port=${port}`, '--store=clickhouse://127.0.0.1:1/costs'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.resume();
  after(() => child.kill('SIGKILL'));
  await until(
    60_000,
    () => fetch(`http://127.0.0.1:${port}/healthz`),
    ({ ok }) => ok,
  );
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  assert.equal(code, 0);
});

/** What opening throws, the first first; then it opens. */
async function opened(failures: readonly Error[]): Promise<[result: unknown, warnings: number]> {
  let warnings = 0;
  const none = (): void => undefined;
  const wait = new StoreWait({
    listen: () =>
      Promise.resolve({ listen: () => Promise.resolve(0), renew: none, close: () => Promise.resolve(0) }),
    log: { info: none, error: none, warn: () => void warnings++ },
    againMs: 1,
  }); // prettier-ignore
  const left = [...failures];
  const result = await wait
    .opening(() => {
      const failure = left.shift();
      return failure === undefined ? Promise.resolve('open') : Promise.reject(failure);
    })
    .catch((error: unknown) => error);
  await wait.close();
  return [result, warnings];
}

const away = (why: string): Unavailable => new Unavailable(why, { retryAfterSeconds: 5 });
const refused = new Unavailable('the secret does not belong to the key');
const mistaken = new Fault('--store: there is no such kind');
const probed = [1, 2, 3].map(() => away(`cannot write probe-${randomUUID()}`));
const unlike = ['a', 'a', 'b', 'b', 'a'].map(away);
const CASES: readonly (readonly [name: string, failures: Error[], result: unknown, warnings: number])[] = [
  ['what is there is opened at once', [], 'open', 0],
  ['what is away for now is opened again', [away('a')], 'open', 1],
  ['a failure is told when it is another one', unlike, 'open', 3],
  ['names by chance make no other failure', probed, 'open', 1],
  ['what cannot pass by itself ends it', [refused], refused, 0],
  ['so does a mistake of the caller', [away('a'), mistaken], mistaken, 1],
]; // prettier-ignore
for (const [name, failures, result, warnings] of CASES) {
  test(name, async () => assert.deepEqual(await opened(failures), [result, warnings]));
}
