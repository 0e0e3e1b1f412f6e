/**
 * What every store of sets promises, over objects in moto, a server of S3 that others wrote
 * (`pip install 'moto[s3,server]'`). It checks no signatures: the scripted server does.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { ObjectLogs } from '../../../src/storage/objects/object-logs.ts';
import { until } from '../../support/servers/replicas.ts';
import { findBinary } from '../../support/servers/services.ts';
import { bucketAt, startObjectWorld } from '../../support/stores/object-stores.ts';
import { promisesOfSets } from '../../support/stores/sets-suite.ts';

const program = findBinary('moto_server');
const skip = program === undefined ? 'moto_server not installed' : false;
const port = 20_000 + (process.pid % 20_000);
const origin = `http://127.0.0.1:${port}`;
const bucket = bucketAt(origin);
const world = await startObjectWorld();
let server: ChildProcess | undefined;
after(async () => {
  server?.kill();
  if (server !== undefined) await once(server, 'exit');
  await world.stop();
});
before(async () => {
  if (program === undefined) return;
  server = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  await until(
    60_000,
    () => fetch(origin),
    () => true,
  );
  const made = await fetch(`${origin}/sets`, { method: 'PUT' });
  assert.equal(made.status, 200, await made.text());
});

describe('in moto', { skip }, () => {
  let stores = 0;
  promisesOfSets('a bucket of moto', {
    open: (arena) => world.open(arena, { bucket, prefix: `store ${stores++}/` }),
    read: world.threads.read,
  });
});

test('a log of one number is begun once in moto, and taken over once', { skip }, async () => {
  const logs = new ObjectLogs({ bucket, prefix: 'logs/', folder: 'runs' });
  const begun = await Promise.all([1, 2, 3].map(() => logs.begin(7)));
  const [log, another] = begun.filter((each) => each !== undefined);
  assert.ok(log !== undefined && another === undefined);
  await log.append({ is: 'record' });
  const next = await logs.resume(7);
  await assert.rejects(() => log.append({ is: 'late' }), { name: 'LogTaken' });
  await next?.append({ is: 'next' });
  assert.deepEqual(await logs.read(7), [{ is: 'record' }, { is: 'next' }]);
  await log.close();
  await next?.close();
});
