/**
 * A simulated cluster, the agent and prorata that receives, all over HTTP: what is counted is the closed
 * form of the cluster's plan, also where parts fail. `npm run cluster-day` does it at full size.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Seeded } from '../../scripts/seeded.ts';
import type { Comparison } from '../support/clusters/comparison.ts';
import { CountedCluster } from '../support/clusters/counted-cluster.ts';
import { planOf } from '../support/clusters/random-plan.ts';
import { startOwnServer, type OwnServer } from '../support/servers/own-server.ts';
import { skipWithout } from '../support/servers/services.ts';

const MINUTE_MS = 60_000;
/** What is told after it is in the past of the server, too. */
const endMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 6 * MINUTE_MS;
const startMs = endMs - 50 * MINUTE_MS;
const faultsMs = endMs - 21 * MINUTE_MS;
const size = { startMs, endMs, nodes: 3, pods: 20, restless: 0.7 };

describe('an agent and its receiver', { skip: skipWithout('openssl') }, () => {
  const home = mkdtempSync(join(tmpdir(), 'prorata-end-to-end-'));
  let server: OwnServer;
  let counted: CountedCluster;

  before(async () => {
    const flags = ['--receive=true', `--data-dir=${home}`, '--out-of-order=1d', '--receive-rate=0'];
    server = await startOwnServer(flags);
    counted = await CountedCluster.start({
      plan: planOf(new Seeded(9), size),
      serverUrl: server.url,
      intervalMs: 2 * MINUTE_MS,
      faultsMs,
    });
    await counted.run(endMs + 4 * MINUTE_MS);
  });
  after(async () => {
    await counted.stop();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  test('count lives and requests as planned to 1e-9, and usage within what samples can miss', async () => {
    holds(await counted.compare(startMs + 5 * MINUTE_MS, faultsMs), 25);
  });

  test('count the same while the API restarts and forgets, and kubelets refuse, break off or are silent', async () => {
    holds(await counted.compare(faultsMs, endMs, true), 20);
  });
});

function holds({ rows, missing, exact, sampled }: Comparison, leastRows: number): void {
  assert.deepEqual(missing, []);
  assert.ok(rows >= leastRows, `${rows} rows`);
  for (const [name, { value, row, beyond }] of Object.entries(exact))
    assert.equal(beyond, 0, `${name} of ${row} is off by ${value}`);
  for (const [name, { value, row, beyond }] of Object.entries(sampled))
    assert.equal(beyond, 0, `${name} of ${row} is off by ${value} of its bound`);
}
