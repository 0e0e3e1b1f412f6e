/** What is sent is stored by real receivers: Prometheus and VictoriaMetrics. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../../../src/agent/sending/batch-queue.ts';
import { Outbox } from '../../../src/agent/sending/outbox.ts';
import { ReceiverClient } from '../../../src/agent/sending/receiver-client.ts';
import { Sender } from '../../../src/agent/sending/sender.ts';
import { encodeLabels } from '../../../src/metrics/index.ts';
import { skipWithout } from '../../support/servers/services.ts';
import { startPrometheus } from '../../support/stores/prometheus.ts';
import { startVictoria, VICTORIA } from '../../support/stores/victoria.ts';

/** Old enough for stores that show nothing of the last half minute. */
const END_MS = Math.floor(Date.now() / 1000) * 1000 - 90_000;
const PODS = 2500;
/** The pod whose series ends. */
const MARKED = 7;

interface Receiver {
  readonly url: string;
  stop(): Promise<void>;
}

const RECEIVERS: readonly {
  readonly name: string;
  readonly start: () => Promise<Receiver>;
  readonly skip: string | false;
}[] = [
  {
    name: 'Prometheus',
    start: () => startPrometheus({ flags: ['--web.enable-remote-write-receiver'] }),
    skip: skipWithout('prometheus'),
  },
  { name: 'VictoriaMetrics', start: () => startVictoria(), skip: skipWithout(VICTORIA) },
];

describe('a real receiver', () => {
  for (const { name, start, skip } of RECEIVERS) {
    test(`${name} stores what is sent, whichever version it takes`, { skip }, async () => {
      const receiver = await start();
      const told: string[] = [];
      const tell = (_: object, message: string): void => void told.push(message);
      const log = { info: tell, warn: tell };
      const queue = await openQueue({ limitBytes: 2 ** 30, log }, new AbortController().signal);
      const url = `${receiver.url}/api/v1/write`;
      const options = { credentials: () => ({}), tls: {}, timeoutMs: 30_000, userAgent: 'test' };
      const client = new ReceiverClient({ url, ...options });
      const sender = new Sender({ queue, client, version: 'auto', log });
      const outbox = new Outbox(queue, { cluster_id: 'here' }, 1000);
      const pods = Array.from({ length: PODS }, (_, i) =>
        encodeLabels({ __name__: 'sent', pod: `ü-${i}`, node: 'n-1' }),
      );
      for (const timeMs of [END_MS - 60_000, END_MS - 30_000]) {
        await outbox.take(pods.map((labels, i) => ({ labels, timeMs, value: i / 3 })));
      }
      const [labels = new Uint8Array()] = pods.slice(MARKED);
      await outbox.take([{ labels, timeMs: END_MS, value: undefined }]);
      await outbox.flush();
      while (queue.figures().batches > 0) await sleep(10);
      assert.deepEqual(told, ['the receiver takes remote write 1.0']);
      assert.equal(sender.figures().sentSamples, 2 * PODS + 1);
      // VictoriaMetrics shows what is new after five seconds, or now.
      await fetch(`${receiver.url}/internal/force_flush`);
      const at = (timeMs: number): Promise<Map<string, string>> => valuesAt(receiver.url, timeMs);
      while ((await at(END_MS - 30_000)).size < PODS) await sleep(50);
      const values = await at(END_MS - 30_000);
      for (let i = 0; i < PODS; i++) assert.ok(isNear(Number(values.get(`ü-${i}`)), i / 3));
      while ((await at(END_MS)).size >= PODS) await sleep(50);
      const later = await at(END_MS);
      assert.equal(later.size, PODS - 1);
      assert.ok(!later.has(`ü-${MARKED}`));
      await sender.close(0);
      await queue.close();
      await receiver.stop();
    });
  }
});

/** VictoriaMetrics keeps twelve digits. */
function isNear(value: number, expected: number): boolean {
  return Math.abs(value - expected) <= 1e-11 * expected;
}

async function valuesAt(url: string, timeMs: number): Promise<Map<string, string>> {
  const query = new URLSearchParams({ query: 'sent{cluster_id="here"}', time: `${timeMs / 1000}` });
  const response = await fetch(`${url}/api/v1/query?${query.toString()}`);
  const { data } = (await response.json()) as {
    data: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  return new Map(data.result.map(({ metric, value }) => [metric['pod'] ?? '', value[1]]));
}
