/** Kubelets of a plan over real sockets: what they answer, and how they fail. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Seeded } from '../../../scripts/seeded.ts';
import { startKubelets, type KubeletTrouble } from './kubelets.ts';
import { planOf } from './random-plan.ts';

const START_MS = Date.UTC(2026, 4, 1, 10);
const size = { startMs: START_MS, endMs: START_MS + 7_200_000, nodes: 3, pods: 12, restless: 0.3 };
const plan = planOf(new Seeded(3), size);
let nowMs = START_MS + 3_600_000;
let trouble: KubeletTrouble;
const kubelets = await startKubelets(plan, { nowMs: () => nowMs, script: () => trouble });
after(() => kubelets.stop());

async function page(index: number, path: string): Promise<{ status: number; text: string }> {
  const node = plan.nodes[index] ?? assert.fail();
  const { address, port } = kubelets.place(node);
  const answer = await fetch(`http://${address}:${port}${path}`, {
    signal: AbortSignal.timeout(10_000),
  });
  return { status: answer.status, text: await answer.text() };
}

test('each node shows its own pods, of both pages, as of the clock', async () => {
  const running = (at: number): Set<string> =>
    new Set(
      plan.pods
        .filter(
          ({ node, startMs, endMs }) =>
            node === plan.nodes[at] && startMs + 30_000 < nowMs && endMs > nowMs,
        ) // prettier-ignore
        .map(({ name }) => name),
    );
  for (const path of ['/metrics/cadvisor', '/metrics/resource']) {
    const { status, text } = await page(0, path);
    assert.equal(status, 200);
    const line = /^container_memory_working_set_bytes\{container="[^"]+".*pod="([^"]+)"/gm;
    const shown = new Set([...text.matchAll(line)].map(([, pod = '']) => pod));
    for (const name of running(0)) assert.ok(shown.has(name), `${path} lacks ${name}`);
    for (const name of running(1)) assert.ok(!shown.has(name), `${path} has ${name}`);
  }
  assert.equal((await page(0, '/stats')).status, 404);
  assert.deepEqual(kubelets.calls.at(-1)?.path, '/stats');
});

test('kubelets refuse, wait, break off and reset as a script says', async () => {
  trouble = { does: 'refuse', status: 403 };
  assert.equal((await page(1, '/metrics/resource')).status, 403);
  trouble = { does: 'wait', waitMs: 1 };
  assert.equal((await page(1, '/metrics/resource')).status, 200);
  for (const does of ['cut', 'reset'] as const) {
    trouble = { does };
    await assert.rejects(page(1, '/metrics/resource'));
  }
  trouble = { does: 'silence' };
  const { address, port } = kubelets.place(plan.nodes[1] ?? assert.fail());
  const stop = new AbortController();
  const silent = fetch(`http://${address}:${port}/metrics/resource`, { signal: stop.signal });
  while (kubelets.calls.at(-1)?.nowMs !== nowMs) await new Promise(setImmediate);
  stop.abort();
  await assert.rejects(silent);
  trouble = undefined;
  const gone = plan.nodes.findIndex(({ endMs }) => endMs < Infinity);
  if (gone < 0) return;
  nowMs = plan.nodes[gone]?.endMs ?? NaN;
  await assert.rejects(page(gone, '/metrics/resource'));
});
