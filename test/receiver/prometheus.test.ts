/**
 * A real Prometheus scrapes a fleet and sends it: both answer the same, as a store that is read and as what was
 * received. Integrals are sums of a chunk each, and Prometheus ends its chunks elsewhere: last digits may differ.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNear } from '../support/references/near.ts';
import { exportTimed, liveSeries, swinging } from '../support/fleets/live-fleet.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startPrometheus } from '../support/stores/prometheus.ts';

const MINUTE_MS = 60_000;
const SENT_WITHIN_MS = 60_000;
const QUERIES = [
  'resolution=exact',
  'resolution=1m',
  'resolution=exact&aggregate=namespace&includeIdle=true&shareIdle=true',
  'resolution=exact&aggregate=label:app,node&accumulate=true&step=3m',
];

const home = mkdtempSync(join(tmpdir(), 'prorata-received-'));
after(() => rmSync(home, { recursive: true, force: true }));

/** Samples that the server has received. */
async function received(server: OwnServer): Promise<number> {
  const { text } = await server.ask('/metrics');
  return Number(/^prorata_receiver_samples_total (\d+)$/m.exec(text)?.[1]);
}

async function untilReceived(server: OwnServer, samples: number): Promise<void> {
  const deadlineMs = Date.now() + SENT_WITHIN_MS;
  let found = await received(server);
  while (found < samples && Date.now() < deadlineMs) {
    await sleep(20);
    found = await received(server);
  }
  assert.equal(found, samples);
}

/** Equal, but for numbers: these to 1e-12. */
function assertAlike(ours: unknown, theirs: unknown, where: string): void {
  if (typeof ours === 'number' && typeof theirs === 'number') return assertNear(ours, theirs);
  if (!isObject(ours) || !isObject(theirs)) return assert.deepEqual(ours, theirs, where);
  assert.deepEqual(Object.keys(ours), Object.keys(theirs), where);
  for (const [key, value] of Object.entries(ours))
    assertAlike(value, theirs[key], `${where}: ${key}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

test(
  'what a Prometheus sends is answered as what is read from it',
  { skip: skipWithout('prometheus') },
  async () => {
    // Prometheus sends what is newer than its start, and scrapes what is at most ten minutes ahead.
    const nowMs = Math.ceil(Date.now() / MINUTE_MS + 1) * MINUTE_MS;
    const span = { startMs: nowMs, endMs: nowMs + 7 * MINUTE_MS };
    const exporter = await exportTimed(swinging(liveSeries(nowMs), 3 * MINUTE_MS), span);
    writeFileSync(join(home, 'fleet.json'), JSON.stringify([{ targets: [exporter.target] }]));
    const clock = `--now=${new Date(span.endMs).toISOString()}`;
    const own = [clock, '--workers=1', '--cost-metrics-interval=0'];
    const receiving = await startOwnServer([
      ...own,
      '--receive',
      `--data-dir=${join(home, 'data')}`,
    ]);
    const remoteWriteUrl = `${receiving.url}/api/v1/write`;
    const prometheus = await startPrometheus({ targetsFolder: home, remoteWriteUrl });
    const reading = await startOwnServer([...own, `--metrics-url=${prometheus.url}`]);
    try {
      await untilReceived(receiving, exporter.samples);
      const [from, to] = [nowMs + MINUTE_MS, span.endMs].map((ms) => new Date(ms).toISOString());
      for (const query of QUERIES) {
        const path = `window=${from},${to}&${query}`;
        const [ours, theirs] = await Promise.all([receiving.compute(path), reading.compute(path)]);
        assert.equal(theirs.status, 200, theirs.text);
        assert.match(theirs.text, /"(cpuCost|name)"/);
        assertAlike(JSON.parse(ours.text), JSON.parse(theirs.text), query);
      }
      assert.deepEqual([...receiving.errors, ...reading.errors], []);
    } finally {
      await Promise.all([prometheus.stop(), receiving.stop(), reading.stop()]);
      exporter.close();
    }
  },
);
