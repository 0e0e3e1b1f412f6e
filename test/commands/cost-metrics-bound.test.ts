/** `/metrics` has costs of so many containers as it may, the costliest, and tells how many it leaves out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOwnServer } from '../support/servers/own-server.ts';

const WITHIN_MS = 60_000;
const NOW = '2024-05-02T12:00:00Z';
const MOST = 5;

/** A series that each of a kind has. */
const KINDS: readonly (readonly [kind: string, series: string])[] = [
  ['containers', 'container_cpu_allocation'],
  ['nodes', 'node_total_hourly_cost'],
  ['volumes', 'pv_hourly_cost'],
  ['claims', 'pod_pvc_allocation'],
  ['load balancers', 'kubecost_load_balancer_cost'],
];

/** The lines of costs, once they are computed. */
async function scraped(flags: readonly string[]): Promise<readonly string[]> {
  const server = await startOwnServer([
    '--demo=true', '--refresh=0', '--workers=1', `--now=${NOW}`, '--timezone=UTC', '--cost-metrics-interval=1s', ...flags,
  ]); // prettier-ignore
  try {
    for (const endMs = Date.now() + WITHIN_MS; Date.now() < endMs; await sleep(100)) {
      const { text } = await server.ask('/metrics');
      if (text.includes('container_cpu_allocation{')) return text.split('\n');
    }
    throw new Error(`no costs within ${WITHIN_MS} ms`);
  } finally {
    await server.stop();
  }
}

const linesOf = (lines: readonly string[], name: string): readonly string[] =>
  lines.filter((line) => line.startsWith(`${name}{`));
const valueOf = (line: string): number => Number(line.slice(line.lastIndexOf(' ')));

test(`the ${MOST} costliest of each kind are shown, and the rest is counted`, async () => {
  const all = await scraped([]);
  const few = await scraped([`--cost-metrics-rows=${MOST}`]);
  let bounded = 0;
  for (const [kind, series] of KINDS) {
    const [whole, shown] = [linesOf(all, series), linesOf(few, series)];
    assert.ok(whole.length > 0, series);
    assert.equal(shown.length, Math.min(MOST, whole.length), series);
    const [told] = linesOf(few, 'prorata_cost_series_left_out').filter((line) =>
      line.includes(`kind="${kind}"`),
    );
    assert.equal(told === undefined ? 0 : valueOf(told), whole.length - shown.length, kind);
    if (whole.length > MOST) bounded++;
  }
  assert.ok(bounded >= 3, `${bounded} kinds had more than ${MOST}`);
  assert.deepEqual(linesOf(all, 'prorata_cost_series_left_out'), []);
  const prices = linesOf(all, 'node_total_hourly_cost')
    .map(valueOf)
    .toSorted((a, b) => b - a);
  const shown = linesOf(few, 'node_total_hourly_cost')
    .map(valueOf)
    .toSorted((a, b) => b - a);
  assert.deepEqual(shown, prices.slice(0, MOST));
  const series = (lines: readonly string[]): number =>
    lines.filter((line) => /^(container|node|pod|pv|kubecost)_\w+\{/.test(line)).length;
  assert.ok(series(few) < series(all) / 4, `${series(few)} of ${series(all)} series`);
});
