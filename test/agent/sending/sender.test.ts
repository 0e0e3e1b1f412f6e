/** Sending over sockets to a receiver that refuses, fails, stays silent and loses its answers. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openQueue, type BatchQueue } from '../../../src/agent/sending/batch-queue.ts';
import { Outbox } from '../../../src/agent/sending/outbox.ts';
import { ReceiverClient } from '../../../src/agent/sending/receiver-client.ts';
import { Sender } from '../../../src/agent/sending/sender.ts';
import { encodeLabels } from '../../../src/metrics/index.ts';
import { until } from '../../support/servers/object-world.ts';
import {
  startWriteReceiver,
  STORED,
  type WriteAnswer,
  type WriteReceiver,
} from '../../support/servers/write-receiver.ts';

/** Long for a machine that is busy, unless an answer never comes. */
const [TIMEOUT_MS, SILENCE_MS] = [30_000, 1000];

function answering(status: number, text: string = '', headers: object = {}): WriteAnswer {
  return (_, response) => void response.writeHead(status, { ...headers }).end(text);
}

const written = { 'x-prometheus-remote-write-samples-written': '0' };
const lost: WriteAnswer = (_, response) => void response.destroy();
const silent: WriteAnswer = () => undefined;
const endless: WriteAnswer = (_, response) => {
  response.writeHead(500);
  const timer = setInterval(() => response.write('x'.repeat(1000)), 1);
  response.on('close', () => clearInterval(timer));
};

interface World {
  readonly receiver: WriteReceiver;
  readonly queue: BatchQueue;
  readonly sender: Sender;
  readonly told: string[];
  /** Sends a batch of one sample with this value. */
  put(value: number): Promise<void>;
  /** Values in the order of calls, as `value@version`. */
  sent(): string[];
  stop(): Promise<void>;
}

async function world(
  script: readonly WriteAnswer[],
  version: '1.0' | '2.0' | 'auto' = '1.0',
): Promise<World> {
  const receiver = await startWriteReceiver(script);
  const told: string[] = [];
  const log = {
    info: (_: object, message: string) => void told.push(message),
    warn: (_: object, message: string) => void told.push(message),
  };
  const { signal } = new AbortController();
  const queue = await openQueue({ limitBytes: 2 ** 20, log }, signal);
  const client = new ReceiverClient({
    url: receiver.url.replace('//', '//user:p%40ss@'),
    credentials: () => ({ 'X-Scope-OrgID': 'team-a' }),
    tls: {},
    timeoutMs: script.includes(silent) ? SILENCE_MS : TIMEOUT_MS,
    userAgent: 'prorata-agent/test',
  });
  const sender = new Sender({ queue, client, version, log, random: () => 1 });
  const outbox = new Outbox(queue, {}, 1000);
  const labels = encodeLabels({ __name__: 'up', node: 'n-1' });
  return {
    receiver,
    queue,
    sender,
    told,
    async put(value) {
      await outbox.take([{ labels, timeMs: 1000, value }]);
      await outbox.flush();
    },
    sent: () =>
      receiver.calls.map(({ series, headers }) => {
        const isOne = headers['x-prometheus-remote-write-version'] === '0.1.0';
        return `${series[0]?.value}@${isOne ? '1.0' : '2.0'}`;
      }),
    async stop() {
      await sender.close(0);
      await queue.close();
      await receiver.stop();
    },
  };
}

const KEPT = ['1@1.0', '1@1.0', '2@1.0', '3@1.0'];
const DROPPED = ['1@1.0', '2@1.0', '3@1.0'];
const CASES: readonly {
  readonly name: string;
  readonly script: readonly WriteAnswer[];
  readonly version?: '2.0' | 'auto';
  readonly sent: readonly string[];
  readonly told: readonly RegExp[];
  readonly refused?: number;
}[] = [
  { name: 'all is well', script: [], sent: DROPPED, told: [] },
  { name: 'status 500 is tried again', script: [answering(500, 'out of\nmemory')], sent: KEPT, told: [/batches wait: it answered 500: out of memory$/, /sent again/] },
  { name: 'a busy receiver is given the time that it wants', script: [answering(429, '', { 'retry-after': '1' })], sent: KEPT, told: [/it answered 429$/, /sent again/] },
  { name: 'a redirect is not followed', script: [answering(301, '', { location: 'http://127.0.0.1:1/' })], sent: KEPT, told: [/it answered 301$/, /sent again/] },
  { name: 'an answer that was lost makes a batch come twice', script: [lost], sent: KEPT, told: [/the connection was closed$/, /sent again/] },
  { name: 'silence is no answer', script: [silent], sent: KEPT, told: [/did not answer within 1 s$/, /sent again/] },
  { name: 'an error without end is cut off', script: [endless], sent: KEPT, told: [/it answered 500: x+$/, /sent again/] },
  { name: 'what is refused for good is dropped, and told with its reason', script: [answering(400, 'out of order sample')], sent: DROPPED, told: [/refused a batch, which is dropped: it answered 400: out of order sample$/], refused: 1 },
  { name: 'one reason is told once', script: [answering(400, 'too old'), answering(400, 'too old')], sent: DROPPED, told: [/too old$/], refused: 2 },
  { name: 'a wrong password drops batches', script: [answering(401, 'who?')], sent: DROPPED, told: [/401: who\?$/], refused: 1 },
  { name: '2.0 is sent to who takes it', version: 'auto', script: [], sent: ['1@2.0', '2@2.0', '3@2.0'], told: [] },
  { name: 'status 415 makes it 1.0', version: 'auto', script: [answering(415)], sent: ['1@2.0', '1@1.0', '2@1.0', '3@1.0'], told: [/takes remote write 1.0/] },
  { name: 'an older receiver may answer 400', version: 'auto', script: [answering(400, 'bad')], sent: ['1@2.0', '1@1.0', '2@1.0', '3@1.0'], told: [/takes remote write 1.0/] },
  { name: 'one that does not see what it was sent stores nothing, and tells of nothing', version: 'auto', script: [answering(204)], sent: ['1@2.0', '1@1.0', '2@1.0', '3@1.0'], told: [/takes remote write 1.0/] },
  { name: 'a partial refusal is none of the version', version: 'auto', script: [answering(400, 'too old', written)], sent: ['1@2.0', '2@2.0', '3@2.0'], told: [/400: too old$/], refused: 1 },
  { name: '2.0 that is wanted stays 2.0', version: '2.0', script: [answering(415, 'no')], sent: ['1@2.0', '2@2.0', '3@2.0'], told: [/415: no to remote write 2.0$/], refused: 1 },
]; // prettier-ignore

describe('a sender', { concurrency: true }, () => {
  for (const { name, script, version, sent, told, refused = 0 } of CASES) {
    test(`sends in order: ${name}`, async () => {
      const at = await world(script, version ?? '1.0');
      for (const value of [1, 2, 3]) await at.put(value);
      await until(() => at.queue.figures().batches === 0, 'all is sent');
      assert.deepEqual(at.sent(), sent);
      assert.equal(at.told.length, told.length, at.told.join('\n'));
      told.forEach((line, i) => assert.match(at.told[i] ?? '', line));
      assert.equal(at.sender.figures().refusedSamples, refused);
      assert.equal(at.sender.figures().sentSamples, 3 - refused);
      await at.stop();
    });
  }

  test('names itself, its user and its tenant, and what it sends', async () => {
    const at = await world([]);
    await at.put(1);
    await until(() => at.receiver.calls.length === 1, 'a batch came');
    const headers = at.receiver.calls[0]?.headers ?? {};
    assert.equal(headers.authorization, `Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    assert.equal(headers['x-scope-orgid'], 'team-a');
    assert.equal(headers['content-encoding'], 'snappy');
    assert.equal(headers['content-type'], 'application/x-protobuf');
    assert.equal(headers['user-agent'], 'prorata-agent/test');
    assert.doesNotMatch(JSON.stringify(at.told), /p@ss|p%40ss/);
    await at.stop();
  });

  test('waits as long as a busy receiver wants', async () => {
    const times: number[] = [];
    const timed =
      (answer: WriteAnswer): WriteAnswer =>
      (...call) => {
        times.push(performance.now());
        answer(...call);
      };
    const at = await world([timed(answering(503, '', { 'retry-after': '1' })), timed(STORED)]);
    await at.put(1);
    await until(() => times.length === 2, 'it is sent again');
    assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 990);
    await at.stop();
  });

  test('ends at once, also while it waits for another try', async () => {
    const at = await world([answering(503, '', { 'retry-after': '200' })]);
    await at.put(1);
    await until(() => at.sender.figures().isFailing, 'it is refused');
    await at.sender.close(60_000);
    assert.equal(at.queue.figures().batches, 1);
    await at.stop();
  });
});
