/** What senders of remote write are answered, by what became of their requests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownVisit } from '../../src/http/visit.ts';
import type { Caller, HttpReply } from '../../src/http/index.ts';
import {
  noOutcomes,
  receiverRoutes,
  type WriteOutcome,
  type WriteVersion,
} from '../../src/receiver/index.ts';
import { openRouter } from '../support/servers/open-router.ts';

const TYPE = 'application/x-protobuf';
const V2 = `${TYPE};proto=io.prometheus.write.v2.Request`;
const HEADERS = { 'content-type': TYPE, 'content-encoding': 'snappy' };
const BODY = Buffer.from('samples');

type Write = (body: Uint8Array, version: WriteVersion) => Promise<WriteOutcome>;
type Headers = Readonly<Record<string, string>>;

interface Asked {
  readonly headers?: Headers;
  readonly body?: Uint8Array;
  readonly isClosing?: () => boolean;
  readonly caller?: Caller;
}

const STORED: WriteOutcome = { kind: 'stored', samples: 5, histograms: 2, exemplars: 1 };

/** A handler of writes: several requests to one share what it counts. */
function handlerOf(
  write: Write | undefined,
  { isClosing = () => false, caller }: Asked = {},
): (headers: Headers, body: Uint8Array) => Promise<HttpReply> {
  const receiver = write && { write };
  const routes = receiverRoutes({ receiver, isClosing, outcomes: noOutcomes() });
  const gate = caller && { identify: () => caller, isOpen: () => false, isPrivate: true };
  const log = (message: string, error: unknown): never =>
    assert.fail(`${message} ${String(error)}`);
  const handler = openRouter(routes, { log }, gate);
  return async (headers, body) =>
    await handler({
      method: 'POST',
      path: '/api/v1/write',
      query: '',
      body,
      header: (name) => headers[name] ?? '',
      signal: AbortSignal.any([]),
      visit: ownVisit(),
    });
}

async function write(outcome: WriteOutcome, asked: Asked = {}): Promise<HttpReply> {
  const handler = handlerOf(async () => outcome, asked);
  return await handler(asked.headers ?? HEADERS, asked.body ?? BODY);
}

function messageOf({ body }: HttpReply): string {
  assert.ok(typeof body === 'string');
  const { message, hint } = JSON.parse(body) as { message: string; hint?: string };
  return `${message} | ${hint ?? ''}`;
}

function writtenOf({ headers }: HttpReply): string[] {
  return ['samples', 'histograms', 'exemplars'].map(
    (name) => headers[`x-prometheus-remote-write-${name}-written`] ?? '-',
  );
}

describe('remote write', () => {
  const OUTCOMES: readonly (readonly [outcome: WriteOutcome, status: number, written: string[], retryAfter: string | undefined, told: RegExp])[] = [
    [STORED, 204, ['5', '2', '1'], undefined, /^$/],
    [{ kind: 'refused', samples: 3, reasons: ['2 are too old', '1 has no name'] }, 400, ['3', '0', '0'], undefined, /2 are too old; 1 has no name \| 3 samples are stored/],
    [{ kind: 'malformed', reason: 'not snappy' }, 400, ['0', '0', '0'], undefined, /not snappy/],
    [{ kind: 'busy', retryAfterSeconds: 7, reason: 'too many samples' }, 429, ['-', '-', '-'], '7', /too many samples \| .*--receive-rate/],
    [{ kind: 'unavailable', reason: 'the disk is full' }, 503, ['-', '-', '-'], '5', /the disk is full/],
  ]; // prettier-ignore
  for (const [outcome, status, written, retryAfter, told] of OUTCOMES) {
    test(`${outcome.kind}: ${status}, with how much was written and when to come again`, async () => {
      const reply = await write(outcome);
      assert.equal(reply.status, status);
      assert.deepEqual(writtenOf(reply), written);
      assert.equal(reply.headers['retry-after'], retryAfter);
      if (status === 204) assert.equal(reply.body, '');
      else assert.match(messageOf(reply), told);
    });
  }

  const TYPES: readonly (readonly [type: string, encoding: string, version: WriteVersion | undefined])[] = [
    [TYPE, 'snappy', '1.0'],
    ['Application/X-Protobuf', 'Snappy', '1.0'],
    [`${TYPE};proto=prometheus.WriteRequest`, 'snappy', '1.0'],
    [V2, 'snappy', '2.0'],
    [`${TYPE} ; charset=utf-8; Proto="io.prometheus.write.v2.Request"`, 'snappy', '2.0'],
    [`${TYPE};proto=io.prometheus.write.v3.Request`, 'snappy', undefined],
    [`${TYPE};proto=`, 'snappy', undefined],
    [`${TYPE};proto`, 'snappy', '1.0'],
    ['application/x-protobuffer', 'snappy', undefined],
    ['application/json', 'snappy', undefined],
    ['text/plain', 'snappy', undefined],
    ['', 'snappy', undefined],
    [TYPE, 'zstd', undefined],
    [TYPE, 'gzip', undefined],
    [TYPE, '', undefined],
  ]; // prettier-ignore
  for (const [type, encoding, version] of TYPES) {
    const says = version === undefined ? 'is 415' : `is remote write ${version}`;
    test(`a body of type '${type}' in '${encoding}' ${says}`, async () => {
      const versions: string[] = [];
      const handler = handlerOf(async (_, got) => {
        versions.push(got);
        return STORED;
      });
      const reply = await handler({ 'content-type': type, 'content-encoding': encoding }, BODY);
      assert.equal(reply.status, version === undefined ? 415 : 204);
      assert.deepEqual(versions, version === undefined ? [] : [version]);
    });
  }

  test('bodies beyond 32 MiB at once are to be sent again, but one alone is taken whatever it has', async () => {
    const done: ((outcome: WriteOutcome) => void)[] = [];
    const handler = handlerOf(() => new Promise((resolve) => void done.push(resolve)));
    const large = new Uint8Array(33 << 20);
    const first = handler(HEADERS, large);
    const refused = await handler(HEADERS, BODY);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers['retry-after'], '1');
    done.pop()?.(STORED);
    assert.equal((await first).status, 204);
    const half = new Uint8Array(16 << 20);
    const both = [handler(HEADERS, half), handler(HEADERS, half)];
    assert.equal((await handler(HEADERS, BODY)).status, 503);
    for (const each of done.splice(0)) each(STORED);
    assert.deepEqual(
      (await Promise.all(both)).map(({ status }) => status),
      [204, 204],
    );
  });

  test('room is given back where the receiver fails', async () => {
    const handler = handlerOf(() => Promise.reject(new Error('the thread ended')));
    for (let i = 0; i < 3; i++)
      await assert.rejects(handler(HEADERS, new Uint8Array(20 << 20)), /the thread ended/);
  });

  test('a server that closes takes nothing more, and one that receives nothing says how it would', async () => {
    const closing = await write(STORED, { isClosing: () => true });
    assert.equal(closing.status, 503);
    assert.equal(closing.headers['retry-after'], '5');
    const off = await handlerOf(undefined)(HEADERS, BODY);
    assert.equal(off.status, 404);
    assert.match(messageOf(off), /receives no samples \| .*--receive/);
  });

  test('viewers, and callers who see some rows, may not write', async () => {
    const editor: Caller = { name: 'agent', roles: ['editor'], filter: null, expiresMs: null, isSignedIn: true }; // prettier-ignore
    const statusOf = async (caller: Caller): Promise<number> =>
      (await write(STORED, { caller })).status;
    assert.equal(await statusOf(editor), 204);
    assert.equal(await statusOf({ ...editor, roles: ['viewer'] }), 403);
    assert.equal(await statusOf({ ...editor, filter: 'namespace:"a"' }), 403);
  });
});
