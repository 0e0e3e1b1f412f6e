/** Objects of a cluster as samples, over real HTTP. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ObjectFacts, Sample } from '../../../src/agent/index.ts';
import { endedPod, runningPod, stored } from '../../support/fleets/api-objects.ts';
import { textOf } from '../../support/references/sample-texts.ts';
import { inObjectWorld, START_MS } from '../../support/servers/object-world.ts';

const MINUTE_MS = 60_000;
const TIME_MS = START_MS + 10 * MINUTE_MS;

/** Takes samples, to see what is new after them. */
function tell(facts: ObjectFacts, timeMs: number): void {
  for (const { labels } of facts.samples(timeMs)) assert.ok(labels.length > 0);
}

function textsAt(samples: readonly Sample[], timeMs: number): string[] {
  return samples.filter((one) => one.timeMs === timeMs).map(textOf);
}

describe('objects as samples', () => {
  test('tell the state at a time, and where kubelets are', async () => {
    await inObjectWorld(async ({ facts }) => {
      const samples = [...facts.samples(TIME_MS)];
      assert.ok(samples.every(({ timeMs }) => timeMs === TIME_MS));
      const texts = samples.map(textOf);
      const [uid] = /uid="[^"]+"/.exec(texts.find((text) => text.includes('"web"')) ?? '') ?? [];
      const ofPod = `namespace="shop",pod="web",${uid}`;
      assert.deepEqual(
        texts.filter((text) => text.includes('pod="web"')),
        [
          `kube_pod_info{host_network="false",namespace="shop",node="n1",pod="web",${uid}} 1`,
          `kube_pod_owner{${ofPod}} 1`,
          `kube_pod_labels{label_app="web",${ofPod}} 1`,
          `kube_pod_start_time{${ofPod}} ${START_MS / 1000}`,
          `kube_pod_status_phase{namespace="shop",phase="Failed",pod="web",${uid}} 0`,
          `kube_pod_status_phase{namespace="shop",phase="Succeeded",pod="web",${uid}} 0`,
          `kube_pod_container_resource_requests{container="app",namespace="shop",node="n1",pod="web",resource="cpu",${uid},unit="core"} 0.5`,
          `kube_pod_container_resource_requests{container="app",namespace="shop",node="n1",pod="web",resource="memory",${uid},unit="byte"} 1073741824`,
          `kube_pod_container_info{container="app",${ofPod}} 1`,
          `kube_pod_container_state_started{container="app",${ofPod}} ${START_MS / 1000}`,
          `kube_pod_container_status_running{container="app",${ofPod}} 1`,
        ],
      );
      assert.ok(
        texts.includes('kube_node_status_capacity{node="n2",resource="cpu",unit="core"} 4'),
      );
      assert.deepEqual(facts.nodes(), [
        { name: 'n1', addresses: ['10.0.0.1', 'n1'], kubeletPort: 10250 },
        { name: 'n2', addresses: ['10.0.0.1', 'n2'], kubeletPort: 10250 },
      ]);
      assert.deepEqual([...facts.samples(TIME_MS + 1)].map(textOf), texts);
    });
  });

  test('tell of one node what is on it', async () => {
    await inObjectWorld(
      async ({ facts, cluster, store, changed }) => {
        store.put('Pod', stored(runningPod({ path: 'shop/other', node: 'n1' })));
        store.put('Pod', stored(runningPod({ path: 'shop/new', node: 'n2' })));
        await changed('Pod', 2);
        const texts = [...facts.samples(TIME_MS)].map(textOf);
        assert.ok(texts.every((text) => /pod="(db|new)"/.test(text) || text.includes('node="n2"')));
        assert.deepEqual(
          new Set(texts.flatMap((text) => /pod="(\w+)"/.exec(text)?.[1] ?? [])),
          new Set(['db', 'new']),
        );
        assert.deepEqual(
          facts.nodes().map(({ name }) => name),
          ['n2'],
        );
        for (const { path } of cluster.calls)
          assert.match(path, /fieldSelector=(spec\.nodeName|metadata\.name)%3Dn2/);
      },
      { node: 'n2' },
    );
  });

  test('tell the end of a pod that was deleted between two takings, and then end its series', async () => {
    await inObjectWorld(async ({ facts, store, clock, changed }) => {
      tell(facts, TIME_MS);
      const endMs = TIME_MS + 20_000;
      clock.ms = endMs + 700;
      store.put('Pod', stored(endedPod({ path: 'shop/web', startMs: START_MS, endMs })));
      await changed('Pod', 3);
      clock.ms = endMs + 900;
      store.remove('Pod', { namespace: 'shop', name: 'web' });
      await changed('Pod', 4);
      const samples = [...facts.samples(TIME_MS + MINUTE_MS)].filter((one) =>
        textOf(one).includes('"web"'),
      );
      const last = textsAt(samples, endMs + 899);
      assert.ok(
        last.some(
          (text) =>
            /^kube_pod_completion_time\{.*\} /.test(text) && text.endsWith(` ${endMs / 1000}`),
        ),
      );
      assert.ok(last.some((text) => /phase="Succeeded".* 1$/.test(text)));
      const stale = textsAt(samples, endMs + 901);
      assert.deepEqual(
        stale,
        last.map((text) => text.replace(/ \S+$/, ' stale')),
      );
      assert.equal(samples.length, 2 * last.length);
      assert.ok(
        ![...facts.samples(TIME_MS + 2 * MINUTE_MS)].some((one) => textOf(one).includes('"web"')),
      );
    });
  });

  test('tell a pod that came and went between two takings', async () => {
    await inObjectWorld(async ({ facts, store, clock, changed }) => {
      tell(facts, TIME_MS);
      clock.ms = TIME_MS + 5000;
      const [startMs, endMs] = [TIME_MS + 1000, TIME_MS + 4000];
      store.put('Pod', stored(runningPod({ path: 'shop/job', startMs })));
      store.put('Pod', stored(endedPod({ path: 'shop/job', startMs, endMs, exitCode: 1 })));
      store.remove('Pod', { namespace: 'shop', name: 'job' });
      await changed('Pod', 5);
      const texts = [...facts.samples(TIME_MS + MINUTE_MS)]
        .map(textOf)
        .filter((text) => text.includes('"job"'));
      const find = (form: RegExp): boolean => texts.some((text) => form.test(text));
      assert.ok(
        find(/^kube_pod_start_time.* /) && find(new RegExp(`completion_time.* ${endMs / 1000}$`)),
      );
      assert.ok(find(/phase="Failed".* 1$/) && find(/requests.*resource="cpu".* 0\.5$/));
    });
  });

  test('tell a resize when it came, and end series whose labels were changed', async () => {
    await inObjectWorld(async ({ facts, store, clock, changed }) => {
      tell(facts, TIME_MS);
      clock.ms = TIME_MS + 30_000;
      store.put(
        'Pod',
        stored(runningPod({ path: 'shop/web', startMs: START_MS, cpu: '2', node: 'n1' })),
      );
      await changed('Pod', 3);
      const { metadata, ...rest } = runningPod({ path: 'shop/web', startMs: START_MS, cpu: '2' });
      store.put('Pod', stored({ ...rest, metadata: { ...metadata, labels: { team: 'a' } } }));
      await changed('Pod', 4);
      const samples = [...facts.samples(TIME_MS + MINUTE_MS)];
      const [resized, ended, ...others] = samples.filter(
        ({ timeMs, value }) => timeMs < TIME_MS + MINUTE_MS || value === undefined,
      );
      assert.deepEqual(others, []);
      assert.ok(resized && ended);
      assert.equal(resized.timeMs, clock.ms);
      assert.match(textOf(resized), /^kube_pod_container_resource_requests\{.*resource="cpu".* 2$/);
      assert.match(textOf(ended), /^kube_pod_labels\{label_app="web".* stale$/);
      assert.equal(ended.timeMs, TIME_MS + MINUTE_MS);
    });
  });
});
