/** A fleet of names that would harm a page that does not expect them: a day and a half, scraped every five minutes. */
import type { TestSeries } from '../stores/samples-encoding.ts';
import { labelled, series } from './odd-parts.ts';

export const HOSTILE_NOW_MS: number = Date.UTC(2024, 4, 16, 8);
const STEP_MS = 300_000;
const LONG = 253;

/** What runs where a name is taken for markup. */
const HARM = 'window.testHarm=1';

/** By what is odd about them. */
export const HOSTILE_NAMES: Readonly<Record<string, string>> = {
  script: `<script>${HARM}</script>`,
  handler: `"><img src=x onerror=${HARM}>`,
  link: `javascript:${HARM}`,
  rightToLeft: '\u202eשלום\u202c שרת',
  long: 'x'.repeat(LONG),
  emoji: '🦄🏳️‍🌈👩‍👩‍👧‍👦',
  signs: `a,b;c'd"e\\f/g|h+i!j&k=l?m#n%20o`,
  formula: '=1+1',
};

function podOf(name: string, at: number[]): TestSeries[] {
  const pod = { namespace: name, pod: `${name}-0`, uid: `uid of ${name}` };
  const container = { ...pod, container: name, node: name };
  const request = (resource: string, value: number): TestSeries =>
    series('kube_pod_container_resource_requests', { ...container, resource }, value, at);
  const usage = series('container_cpu_usage_seconds_total', container, 0, at);
  const owner = { owner_kind: 'StatefulSet', owner_name: name, owner_is_controller: 'true' };
  return [
    series('kube_pod_info', { ...pod, node: name }, 1, at),
    series('kube_pod_owner', { ...pod, ...owner }, 1, at),
    series('kube_pod_labels', { ...pod, label_team: name, label_app: name }, 1, at),
    request('cpu', 0.5),
    request('memory', 2 ** 30),
    { ...usage, values: at.map((ms) => (ms - (at[0] ?? 0)) / 8000) },
    series('container_memory_working_set_bytes', container, 2 ** 28, at),
    series('kube_node_info', { node: name, provider_id: name }, 1, at),
    series('kube_node_labels', { node: name, label_node_kubernetes_io_instance_type: name }, 1, at),
    series('kube_node_status_capacity', { node: name, resource: 'cpu' }, 4, at),
    series('kube_node_status_capacity', { node: name, resource: 'memory' }, 2 ** 33, at),
    ...['cpu', 'ram'].map((what) =>
      series(`node_${what}_hourly_cost`, { node: name, instance_type: name }, 1, at),
    ),
  ];
}

export function hostileSeries(): TestSeries[] {
  const count = (1.5 * 86_400_000) / STEP_MS;
  const at = Array.from({ length: count }, (_, i) => HOSTILE_NOW_MS - (count - 1 - i) * STEP_MS);
  return Object.values(HOSTILE_NAMES).flatMap((name) =>
    labelled(podOf(name, at), { cluster_id: name }),
  );
}
