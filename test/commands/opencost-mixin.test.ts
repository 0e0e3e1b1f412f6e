/** The rules and dashboards of the opencost-mixin over a month of what `/metrics` shows. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample } from '../../scripts/openmetrics.ts';
import { liveSeries, pastOf } from '../support/fleets/live-fleet.ts';
import { startServerProcess } from '../support/servers/server-process.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { writeSeries, type ToldSeries } from '../support/stores/series-file.ts';

interface Mixin {
  readonly rules: Readonly<Record<string, string>>;
  readonly queries: Readonly<Record<string, string>>;
}

const MIXIN = JSON.parse(
  await readFile(new URL('../fixtures/opencost-mixin.json', import.meta.url), 'utf8'),
) as Mixin;
const VARIABLES: readonly (readonly [string, string])[] = [
  ['$cluster', ''],
  ['$opencost_job', 'opencost'],
  ['$ksm_job', 'kube-state-metrics'],
  ['$workload_type', '.*'],
  ['$workload', '.*'],
];
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Rules that a query names are put in their place, with the labels that it selects. */
function written(query: string, namespace: string): string {
  const whole = Object.entries(MIXIN.rules).reduce(
    (text, [name, rule]) =>
      text.replaceAll(
        new RegExp(`${name}(\\{[^}]*\\})?`, 'g'),
        () => `(${written(rule, namespace)})`,
      ),
    query,
  );
  return [...VARIABLES, ['$namespace', namespace] as const].reduce(
    (text, [name, value]) => text.replaceAll(name, value),
    whole,
  );
}

/** Each hour of a month, and each minute of the last quarter of an hour. */
function monthOf(
  { name, labels }: ToldSeries,
  endMs: number,
  value: (ms: number) => number,
): ToldSeries {
  const hours = Array.from({ length: 31 * 24 }, (_, i) => endMs - (31 * 24 - i) * HOUR_MS);
  const minutes = Array.from({ length: 16 }, (_, i) => endMs - (15 - i) * MINUTE_MS);
  return { name, labels, samples: [...hours, ...minutes].map((ms): Sample => [ms, value(ms)]) };
}

function linear({ samples: [first, second] }: ToldSeries): (ms: number) => number {
  const [[fromMs, from], [toMs, to]] = [first ?? [0, NaN], second ?? [1, NaN]];
  return (ms) => from + ((to - from) * (ms - fromMs)) / (toMs - fromMs);
}

function seriesIn(text: string): (ToldSeries & { readonly value: number })[] {
  const lines = text
    .split('\n')
    .filter((line) => /^(container|node|pod|pv|kubecost|opencost)_/.test(line));
  return lines.map((line) => {
    const [, name = '', pairs = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const own = [...pairs.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of = '']) => [
      label,
      of,
    ]);
    const labels = { ...Object.fromEntries(own), job: 'opencost' } as ToldSeries['labels'];
    return { name, labels, samples: [], value: Number(value) };
  });
}

/** Costs of the live fleet as a server shows them. */
async function shownCosts(home: string, nowMs: number): Promise<string> {
  const file = join(home, 'past.om');
  await writeSeries(file, pastOf(liveSeries(nowMs), nowMs));
  const store = await startPrometheus({ blocksFrom: [file] });
  const flags = [`--metrics-url=${store.url}`, '--refresh=0', '--workers=1'];
  const server = await startServerProcess([...flags, '--cost-metrics-interval=1s']);
  try {
    for (;;) {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      if (text.includes('container_cpu_allocation{')) return text;
      await sleep(200);
    }
  } finally {
    await server.stop();
    await store.stop();
  }
}

describe('the opencost-mixin', { skip: skipWithout('prometheus', 'promtool') }, () => {
  let home: string;
  let store: Prometheus;
  let endMs: number;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'prorata-mixin-'));
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    endMs = Math.floor(nowMs / HOUR_MS) * HOUR_MS;
    const shown = seriesIn(await shownCosts(home, nowMs));
    const file = join(home, 'month.om');
    await writeSeries(file, [
      ...shown.map((one) => monthOf(one, endMs, () => one.value)),
      ...liveSeries(endMs).map((one) => monthOf(one, endMs, linear(one))),
    ]);
    store = await startPrometheus({ blocksFrom: [file] });
  });
  after(async () => {
    await store.stop();
    await rm(home, { recursive: true, force: true });
  });

  for (const [name, query] of Object.entries({ ...MIXIN.rules, ...MIXIN.queries })) {
    test(`${name} returns series`, async () => {
      const rows = await Promise.all(
        ['data', 'ml'].map(async (namespace) => {
          const body = new URLSearchParams({
            query: written(query, namespace),
            time: String(endMs / 1000),
          });
          const reply = await fetch(`${store.url}/api/v1/query`, { method: 'POST', body });
          const text = await reply.text();
          assert.equal(reply.status, 200, text);
          return (JSON.parse(text) as { data: { result: { value: [number, string] }[] } }).data
            .result;
        }),
      );
      // Of two namespaces one has volumes, the other GPUs.
      const values = rows.flat().map(({ value: [, text] }) => Number(text));
      assert.ok(values.length > 0, written(query, 'data'));
      assert.ok(values.every(Number.isFinite), values.join(' '));
    });
  }
});
