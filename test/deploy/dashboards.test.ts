/** Dashboards and rules before a real Prometheus that scrapes a server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { alertsOf } from '../support/alerts.ts';
import { exportLive, liveSeries, pastOf, type LiveExporter } from '../support/fleets/live-fleet.ts';
import { labelValues, filledIn, queriesOf, type GrafanaDashboard } from '../support/grafana.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { skipWithout } from '../support/servers/services.ts';
import { startPrometheus, type Prometheus } from '../support/stores/prometheus.ts';
import { writeSeries, type ToldSeries } from '../support/stores/series-file.ts';

const DEPLOY = new URL('../../deploy/', import.meta.url);
const CASES = fileURLToPath(new URL('rules.promtool.yaml', import.meta.url));
const RULES = fileURLToPath(new URL('rules/prorata.yaml', DEPLOY));
const WITHIN_MS = 90_000;
const GIB = 2 ** 30;

interface Found {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

function dashboard(name: string): GrafanaDashboard {
  return JSON.parse(
    readFileSync(new URL(`dashboards/${name}.json`, DEPLOY), 'utf8'),
  ) as GrafanaDashboard;
}

/** Series of the fleet in a cluster of a store of several, with the owners of pods. */
function fleetOf(nowMs: number): ToldSeries[] {
  const series = liveSeries(nowMs);
  const owners = series
    .filter(({ name }) => name === 'kube_pod_info')
    .map(({ labels, samples }) => {
      const { namespace = '', pod = '' } = labels;
      const isWeb = pod.startsWith('web-');
      const [kind, name] = isWeb
        ? ['ReplicaSet', 'web-5c9f7b6d4c']
        : ['StatefulSet', pod.split('-')[0] ?? ''];
      const own = { namespace, pod, owner_kind: kind, owner_name: name };
      return { name: 'kube_pod_owner', labels: own, samples } as ToldSeries;
    });
  return [...series, ...owners].map((one) => ({
    ...one,
    labels: { ...one.labels, cluster: 'east' } as ToldSeries['labels'],
  }));
}

describe('dashboards and rules', { skip: skipWithout('prometheus', 'promtool') }, () => {
  let home: string;
  let store: Prometheus;
  let server: ServerProcess;
  let live: LiveExporter;
  /** All are asked of one moment, at which every scrape had succeeded. */
  let askedAtMs: number;

  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'prorata-dashboards-'));
    const [targets, file] = [join(home, 'targets'), join(home, 'past.om')];
    await mkdir(targets);
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    const series = fleetOf(nowMs);
    await writeSeries(file, pastOf(series, nowMs));
    live = await exportLive(series);
    store = await startPrometheus({ blocksFrom: [file], targetsFolder: targets });
    const own = [
      `--data-dir=${join(home, 'data')}`,
      '--retention=2d',
      '--cost-metrics-interval=1s',
    ];
    server = await startServerProcess([`--metrics-url=${store.url}`, '--workers=1', ...own]);
    const list = JSON.stringify([{ targets: [`127.0.0.1:${server.port}`, live.target] }]);
    await writeFile(join(targets, 'server.json'), list);
    await scraped();
  });
  after(async () => {
    await server.stop();
    await store.stop();
    live.close();
    await rm(home, { recursive: true, force: true });
  });

  /** Has the server asked until the store has all kinds of counts, and keeps that moment. */
  async function scraped(): Promise<void> {
    const grown = [
      'sum(up) == 2',
      'rate(prorata_cache_hits_total{cache="answers"}[1m]) > 0',
      'rate(prorata_store_reads_total[1m]) > 0',
      'rate(prorata_pool_task_seconds_total[1m])',
      'increase(prorata_builds_total[1h])',
      'prorata_build_last_success_timestamp_seconds',
      // As what was spent is asked: at whole seconds, of which the first may be before the first scrape.
      'sum_over_time(sum(pod_pvc_allocation)[60s:1s])',
      'sum_over_time(sum(container_gpu_allocation)[60s:1s])',
      'sum_over_time(sum(container_cpu_allocation{cost_source="prorata"})[60s:1s])',
      'sum_over_time(sum(node_total_hourly_cost{cost_source="prorata"})[60s:1s])',
      'rate(container_cpu_usage_seconds_total[1m])',
    ];
    const paths = ['allocation?window=2d', 'allocation/compute?window=10m', 'nowhere'];
    const endMs = Date.now() + WITHIN_MS;
    for (;;) {
      // No scrape of that moment is under way any more: each has a second.
      askedAtMs = Date.now() - 2000;
      const found = await Promise.all(grown.map(ask));
      const missing = grown.filter((_, i) => found[i]?.length === 0);
      if (missing.length === 0) return;
      assert.ok(Date.now() < endMs, `not within ${WITHIN_MS} ms: ${missing.join(', ')}`);
      for (const path of paths) await (await fetch(`${server.url}/model/${path}`)).arrayBuffer();
      await sleep(200);
    }
  }

  async function ask(query: string): Promise<readonly Found[]> {
    const body = new URLSearchParams({ query, time: String(askedAtMs / 1000) });
    const reply = await fetch(`${store.url}/api/v1/query`, { method: 'POST', body });
    const text = await reply.text();
    assert.equal(reply.status, 200, `${query}: ${text}`);
    return (JSON.parse(text) as { data: { result: Found[] } }).data.result;
  }

  async function valuesOf(series: string, label: string): Promise<readonly string[]> {
    const asked = new URLSearchParams({ 'match[]': series });
    const reply = await fetch(`${store.url}/api/v1/label/${label}/values?${asked.toString()}`);
    assert.equal(reply.status, 200, series);
    return ((await reply.json()) as { data: string[] }).data;
  }

  /** Queries that return nothing, or what is no number. */
  async function empty(queries: readonly (readonly [string, string])[]): Promise<string[]> {
    const found = await Promise.all(queries.map(([, query]) => ask(query)));
    return queries
      .filter((_, i) => !found[i]?.some(({ value: [, text] }) => Number.isFinite(Number(text))))
      .map((query) => query.join(': '));
  }

  const SHOWN: readonly (readonly [name: string, values: Readonly<Record<string, string>>, none: readonly string[]])[] = [
    ['overview', { cluster: '.*' }, []],
    ['overview', { cluster: 'east' }, []],
    ['namespace', { cluster: '.*', namespace: 'data' }, ['GPUs allocated A']],
    ['namespace', { cluster: 'east', namespace: 'ml' }, ['Volumes A']],
    ['health', { instance: '.*' }, []],
  ]; // prettier-ignore
  for (const [name, values, none] of SHOWN) {
    test(`every query of ${name} returns series with ${Object.values(values).join(' and ')}`, async () => {
      const queries = queriesOf(dashboard(name), values);
      assert.ok(queries.length > 10, `${queries.length} queries`);
      const missing = await empty(queries);
      assert.deepEqual(
        missing.map((each) => each.split(':')[0]),
        none,
        missing.join('\n'),
      );
    });
  }

  test('a query of what is not there is found', async () => {
    assert.equal((await empty([['planted', 'sum(prorata_no_such_metric)']])).length, 1);
  });

  test('each variable offers what there is to choose', async () => {
    for (const name of ['overview', 'namespace', 'health']) {
      for (const variable of dashboard(name).templating.list.slice(1)) {
        const [series, label] = labelValues(variable);
        const values = await valuesOf(filledIn(series, { cluster: '.*' }), label);
        const expected = {
          cluster: ['east'],
          namespace: ['data', 'ml', 'shop'],
          instance: [`127.0.0.1:${server.port}`],
        };
        assert.deepEqual(values, expected[variable.name as keyof typeof expected]);
      }
    }
  });

  test('costs, workloads and what they requested are those of the fleet', async () => {
    const shown = (name: string, values: Readonly<Record<string, string>>, title: string) => {
      const query = queriesOf(dashboard(name), values).find(([each]) => each === title)?.[1];
      assert.ok(query !== undefined, title);
      return ask(query);
    };
    const number = (found: readonly Found[]): number => Number(found[0]?.value[1]);
    const all = { cluster: '.*' };
    const allocated = number(await shown('overview', all, 'Nodes: allocated and idle A'));
    const idle = number(await shown('overview', all, 'Nodes: allocated and idle B'));
    const nodes = number(await ask('sum(node_total_hourly_cost)'));
    assert.ok(allocated > 0 && idle > 0, `${allocated} and ${idle}`);
    assert.ok(
      Math.abs((allocated + idle) / nodes - 1) < 1e-9,
      `${allocated} + ${idle} of ${nodes}`,
    );
    const shop = { cluster: '.*', namespace: 'shop' };
    const workloads = await shown('namespace', shop, 'Workloads C');
    assert.deepEqual(
      workloads.map(({ metric, value }) => [metric, Number(value[1])]),
      [[{ workload: 'web' }, 1.5]],
    );
    assert.equal(number(await shown('namespace', shop, 'Workloads E')), 3 * GIB);
    assert.equal(number(await shown('namespace', shop, 'Workloads F')), 4 * GIB);
  });

  test('each alert is evaluated, and none is due that does not depend on how busy the machine is', async () => {
    const byLoad =
      /^Prorata(ServerErrors|QuestionsRefused|MainThreadLate|DiskAlmostFull|CostsNotComputed)$/;
    const rules = alertsOf(readFileSync(RULES, 'utf8'));
    const found = await Promise.all(rules.map(({ expr }) => ask(expr)));
    const due = rules.filter((_, i) => found[i]?.length !== 0).map(({ alert }) => alert);
    assert.deepEqual(
      due.filter((alert) => !byLoad.test(alert)),
      [],
    );
  });

  test('each metric of an alert is one that the server shows', async () => {
    const shown = new Set(await valuesOf('{instance!=""}', '__name__'));
    const names = alertsOf(readFileSync(RULES, 'utf8')).flatMap(({ expr }) =>
      [...expr.matchAll(/\b(?:prorata|process|node)_\w+/g)].map(([name]) => name),
    );
    assert.ok(names.length > 20, names.join(' '));
    // Certificates are told of by a server that has one, what is left out where something is, receivers where one is,
    // builders where several servers share a bucket.
    const missing = new Set(names.filter((name) => !shown.has(name)));
    assert.deepEqual([...missing].toSorted(), [
      'prorata_builder',
      'prorata_cost_series_left_out',
      'prorata_receiver_damaged_blocks',
      'prorata_receiver_failing',
      'prorata_tls_certificate_not_after_timestamp_seconds',
      'prorata_tls_reload_failures_total',
    ]);
  });

  test('promtool takes the rules, and each alert fires and is silent where it ought to', () => {
    for (const args of [
      ['check', 'rules', RULES],
      ['test', 'rules', CASES],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
      assert.equal(status, 0, stdout + stderr);
    }
    const cases = readFileSync(CASES, 'utf8');
    for (const { alert } of alertsOf(readFileSync(RULES, 'utf8'))) {
      assert.match(cases, new RegExp(`labels: 'ALERTS\\{alertname="${alert}"`), alert);
    }
  });
});
