import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openbFleet } from '../../scripts/openb-fleet.ts';
import { loadOpenb } from '../../scripts/openb.ts';
import { type Prometheus, startPrometheus } from '../support/stores/prometheus.ts';
import { skipWithout } from '../support/servers/services.ts';

const NODES = 'sn,cpu_milli,memory_mib,gpu,model\nplain,32000,262144,0,\ncard,96000,393216,8,T4\n';

/** Where two blocks meet, in seconds of the trace: its day 20, 18:00. */
const JOINT_S = Math.ceil(Date.UTC(2024, 0, 1) / 5_248_800_000) * 5_248_800 - 1_704_067_200;
const PODS = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
done,12000,16384,1,460,,LS,Succeeded,${JOINT_S - 3700},${JOINT_S + 1200},${JOINT_S - 3600}
gone,4000,2048,0,0,,BE,Running,${JOINT_S - 50},${JOINT_S + 200},${JOINT_S - 50}
`;
const skip = skipWithout('prometheus', 'promtool');
let folder = '';
let prometheus: Prometheus | undefined;

before(async () => {
  if (skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), 'prorata-openb-'));
  const data = join(folder, 'data');
  const jointMs = Date.UTC(2024, 0, 1) + JOINT_S * 1000;
  const plan = {
    startMs: jointMs - 7_200_000,
    endMs: jointMs + 7_200_000,
    intervalMs: 60_000,
    usageIntervalMs: 60_000,
    nodeIntervalMs: 300_000,
  };
  await loadOpenb(openbFleet(PODS, NODES), plan, data);
  prometheus = await startPrometheus({ dataFolder: data });
});

after(async () => {
  await prometheus?.stop();
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

/** The value of a query at a second of the trace counted from the joint, undefined for nothing. */
async function value(query: string, second: number): Promise<number | undefined> {
  assert.ok(prometheus, 'no Prometheus runs');
  const time = String(1_704_067_200 + JOINT_S + second);
  const parameters = new URLSearchParams({ query, time }).toString();
  const response = await fetch(`${prometheus.url}/api/v1/query?${parameters}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  const text = data.result[0]?.value[1];
  return text === undefined ? undefined : Number(text);
}

test('a loaded trace answers queries as the fleet would have', { skip }, async () => {
  const rows: [query: string, second: number, wanted: number | undefined][] = [
    ['count({job="kube-state-metrics",pod="done"})', -3610, 4],
    ['kube_pod_info{pod="done",node=""}', -3610, 1],
    ['kube_pod_start_time{pod="done"}', 0, 1_704_067_200 + JOINT_S - 3600],
    ['count_over_time(kube_pod_start_time{pod="done"}[3h])', 7000, 85],
    ['kube_pod_completion_time{pod="done"}', 1190, undefined],
    ['kube_pod_completion_time{pod="done"}', 1260, 1_704_067_200 + JOINT_S + 1200],
    ['count_over_time(kube_pod_completion_time{pod="done"}[3h])', 7000, 5],
    ['count_over_time(kube_pod_completion_time{pod="gone"}[3h])', 7000, undefined],
    ['kube_pod_container_resource_requests{pod="gone",resource="cpu"}', 100, 4],
    ['kube_pod_container_resource_requests{pod="done",unit="integer"}', 100, 1],
    ['kube_pod_labels{label_num_gpu="1",label_gpu_milli="460"}', 100, 1],
    ['node_gpu_hourly_cost{node="card"}', 100, 0.35],
    ['count(kube_node_info)', 100, 2],
  ];
  for (const [query, second, wanted] of rows)
    assert.equal(await value(query, second), wanted, query);
});

test('usage stays below the request, also where two blocks meet', { skip }, async () => {
  const usage = 'rate(container_cpu_usage_seconds_total{pod="done"}[2m])';
  for (const second of [-600, -60, 0, 60, 120, 600]) {
    const cores = await value(usage, second);
    assert.ok(cores !== undefined && cores > 1 && cores < 11, `${cores} cores at ${second} s`);
  }
  const share = 'container_memory_working_set_bytes{pod="done"} / 17179869184';
  const ram = await value(share, 0);
  assert.ok(ram !== undefined && ram >= 0.1 && ram < 0.9, String(ram));
});
