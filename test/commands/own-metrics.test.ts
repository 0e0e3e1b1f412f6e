/** What the server as users run it tells of itself to a metrics store. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { requireService } from '../support/servers/services.ts';
import { startServerProcess, type ServerProcess } from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const home = mkdtempSync(join(tmpdir(), 'prorata-metrics-'));
after(() => rmSync(home, { recursive: true, force: true }));

type Metrics = ReadonlyMap<string, number>;

async function textOf(server: ServerProcess): Promise<string> {
  const reply = await fetch(`${server.url}/metrics`);
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return await reply.text();
}

/** Samples by name and labels, as they stand in the text. */
function read(text: string): Metrics {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1).replace('+Inf', 'Infinity'))] as const;
    }),
  );
}

async function metricsOf(server: ServerProcess): Promise<Metrics> {
  return read(await textOf(server));
}

async function get(server: ServerProcess, path: string): Promise<number> {
  const reply = await fetch(server.url + path);
  await reply.arrayBuffer();
  return reply.status;
}

async function untilBuilt(server: ServerProcess): Promise<Metrics> {
  for (;;) {
    const metrics = await metricsOf(server);
    if ((metrics.get('prorata_builds_total') ?? 0) > 0) return metrics;
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
}

/** Numbers of a family by one label. */
function labelled(metrics: Metrics, name: string, label: string): Map<string, number> {
  const form = new RegExp(`^${name}\\{${label}="([^"]*)"\\}$`);
  const found = [...metrics].flatMap(([key, value]) => {
    const of = form.exec(key)?.[1];
    return of === undefined ? [] : [[of, value] as const];
  });
  return new Map(found);
}

describe('/metrics', { concurrency: 2 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`tells what happened to requests, ${frontEnd}`, async () => {
      const server = await startServerProcess([
        '--refresh=0',
        '--workers=1',
        '--cost-metrics-interval=0',
        `--front-end=${frontEnd}`,
      ]);
      try {
        for (let i = 0; i < 3; i++) assert.equal(await get(server, '/model/healthz'), 200);
        assert.equal(await get(server, '/allocation'), 400);
        assert.equal(
          await get(server, '/model/allocation/compute?window=1h&aggregate=namespace'),
          200,
        );
        const before = (await textOf(server)).split('\n').length;
        for (let i = 0; i < 30; i++) assert.equal(await get(server, `/no/such/${i}"\\`), 404);
        const metrics = await metricsOf(server);
        const of = (route: string, name: string): number | undefined =>
          metrics.get(`prorata_http_requests_total{route="${route}",class="${name}"}`);
        assert.equal(of('/healthz', '2xx'), 3);
        assert.equal(of('/allocation', '4xx'), 1);
        assert.equal(of('/allocation/compute', '2xx'), 1);
        assert.equal(of('none', '4xx'), 30);
        const healthz = '{route="/healthz"}';
        assert.equal(metrics.get(`prorata_http_request_duration_seconds_count${healthz}`), 3);
        assert.ok((metrics.get(`prorata_http_request_duration_seconds_sum${healthz}`) ?? 0) > 0);
        assert.equal(metrics.get('prorata_http_requests_in_flight'), 1);
        assert.equal(metrics.get('prorata_lane_admitted_total{lane="heavy"}'), 1);
        assert.equal(metrics.get('prorata_lane_running{lane="heavy"}'), 0);
        assert.ok((metrics.get('prorata_store_reads_total') ?? 0) > 5);
        const samples = labelled(metrics, 'prorata_store_samples_total', 'reader');
        assert.deepEqual([...samples.keys()], ['demo']);
        assert.ok((samples.get('demo') ?? 0) > 1000);
        assert.equal(metrics.get('prorata_store_reads_in_flight'), 0);
        assert.equal(metrics.get('prorata_store_read_errors_total'), 0);
        const tasks = labelled(metrics, 'prorata_pool_tasks_total', 'task');
        assert.ok((tasks.get('decide') ?? 0) > 0);
        assert.ok((metrics.get('prorata_pool_task_seconds_total{task="decide"}') ?? 0) > 0);
        // However many paths clients make up, a family has as many lines as before and those of one route.
        assert.ok(metrics.size < before + 12, `${metrics.size} samples`);
      } finally {
        assert.equal(await server.stop(), 0);
      }
    });
  }

  test('tells of builds, stored sets, caches, memory and the process', async () => {
    const folder = join(home, 'data');
    const flags = ['--workers=1', '--demo=true', `--data-dir=${folder}`, '--retention=1d'];
    const server = await startServerProcess(flags);
    try {
      await untilBuilt(server);
      for (let i = 0; i < 3; i++) await get(server, '/model/allocation?window=today');
      const metrics = await untilBuilt(server);
      const valueOf = (name: string): number => metrics.get(name) ?? NaN;
      assert.ok(
        Math.abs(valueOf('prorata_build_last_success_timestamp_seconds') - Date.now() / 1000) < 60,
      );
      assert.ok(valueOf('prorata_build_sets_done') >= 1);
      assert.ok(valueOf('prorata_build_sets_wanted') >= valueOf('prorata_build_sets_done'));
      assert.ok(valueOf('prorata_stored_bytes{kind="allocations"}') > 1000);
      assert.equal(valueOf('prorata_stored_sets_damaged{kind="allocations"}'), 0);
      assert.equal(valueOf('prorata_quarantined_files'), 0);
      assert.ok(valueOf('prorata_disk_free_bytes') > 0);
      assert.ok(valueOf('prorata_disk_free_bytes') <= valueOf('prorata_disk_size_bytes'));
      assert.ok(valueOf('prorata_arena_used_bytes') < valueOf('prorata_arena_limit_bytes'));
      assert.ok(valueOf('process_resident_memory_bytes') > 30e6);
      assert.ok(valueOf('process_open_fds') > 5);
      assert.ok(valueOf('process_max_fds') > valueOf('process_open_fds'));
      for (const of of ['p50', 'p99', 'max']) {
        assert.ok(valueOf(`prorata_event_loop_delay_${of}_seconds`) >= 0, of);
      }
      const hits = labelled(metrics, 'prorata_cache_hits_total', 'cache');
      for (const name of ['answers', 'compressed', 'hot', 'grouped', 'written', 'charges', 'external', 'sizing-answers', 'sizing-demand']) {
        assert.ok(hits.has(name), name);
      } // prettier-ignore
      assert.ok(
        (hits.get('answers') ?? 0) +
          (metrics.get('prorata_cache_misses_total{cache="answers"}') ?? 0) >=
          3,
      );
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  test('counts damaged sets, and reads that fail and are tried again', async () => {
    const folder = join(home, 'damaged');
    mkdirSync(join(folder, 'quarantine'), { recursive: true });
    writeFileSync(join(folder, 'quarantine/one.arrow'), 'x');
    const flags = [
      `--data-dir=${folder}`,
      '--workers=1',
      '--refresh=0',
      '--metrics-url=http://127.0.0.1:1',
    ];
    const server = await startServerProcess([...flags, '--metrics-reader=remote-read']);
    try {
      assert.equal(await get(server, '/allocation/compute?window=1h'), 503);
      const metrics = await metricsOf(server);
      assert.equal(metrics.get('prorata_quarantined_files'), 1);
      assert.ok((metrics.get('prorata_store_read_errors_total') ?? 0) > 0);
      assert.ok((metrics.get('prorata_store_read_retries_total') ?? 0) > 0);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });

  const promtool = requireService('promtool');
  const skip = promtool === undefined && 'promtool not installed';
  test('is as promtool wants it', { skip }, async () => {
    const server = await startServerProcess(['--workers=1', '--cost-metrics-interval=0']);
    try {
      await untilBuilt(server);
      await get(server, '/allocation?window=today');
      const input = await textOf(server);
      const checked = spawnSync(promtool ?? '', ['check', 'metrics'], { input, encoding: 'utf8' });
      assert.equal(`${checked.stdout}${checked.stderr}`, '');
      assert.equal(checked.status, 0);
    } finally {
      assert.equal(await server.stop(), 0);
    }
  });
});
