/** What containers and claims of pods have, on average over a set. */
import { numberReader, textReader, type Table } from '../../columnar/index.ts';
import type { Family } from '../../export/index.ts';
import { HOUR_MS, type Window } from '../../query/index.ts';
import { joined } from '../row/joined.ts';
import { UNMOUNTED } from '../row/row-kinds.ts';
import { family, labelled, type Labelling, type Labels } from './labelling.ts';

const RESOURCES = ['cpuCoreHours', 'ramByteHours', 'gpuHours'] as const;
const COSTS = ['cpuCost', 'ramCost', 'gpuCost'] as const;

interface Container {
  readonly labels: Labels;
  /** In the order of RESOURCES. */
  readonly hours: number[];
  /** USD */
  cost: number;
}

interface ClaimOfPod {
  readonly labels: Labels;
  byteHours: number;
  cost: number;
}

export function allocationFamilies(
  tables: readonly Table[],
  assets: Table,
  { startMs, endMs }: Window,
  labelling: Labelling,
): Family[] {
  const hours = (endMs - startMs) / HOUR_MS;
  const containers = labelling.bounded.most('containers', containersOf(tables, labelling));
  const claims = labelling.bounded.most('claims', claimsOfPods(tables, assets, labelling));
  const resource = (name: string, help: string, place: number, isLeftOut = false): Family =>
    family(
      name,
      help,
      containers
        .map(({ labels, hours: of }) => ({ labels, value: (of[place] ?? 0) / hours }))
        .filter(({ value }) => !isLeftOut || value > 0),
    );
  return [
    resource('container_cpu_allocation', 'CPUs: requested or used, whichever is more.', 0),
    resource('container_memory_allocation_bytes', 'RAM: requested or used, whichever is more.', 1),
    resource('container_gpu_allocation', 'GPUs of containers that have some.', 2, true),
    family(
      'pod_pvc_allocation',
      'Bytes of the volume of a claim that the pod is charged for.',
      claims.map(({ labels, byteHours }) => ({ labels, value: byteHours / hours })),
    ),
  ];
}

/** One for each name: a pod may have been there twice. */
function containersOf(tables: readonly Table[], labelling: Labelling): Container[] {
  const containers = new Map<string, Container>();
  for (const table of tables) {
    const names = (['cluster', 'node', 'namespace', 'pod', 'container'] as const).map((name) =>
      textReader(table, name),
    );
    const amounts = RESOURCES.map((name) => numberReader(table, name));
    const costs = COSTS.map((name) => numberReader(table, name));
    for (let row = 0; row < table.rows; row++) {
      const all = names.map((of) => of(row));
      const [cluster = '', node = '', namespace = '', pod = '', container = ''] = all;
      const own = amounts.map((of) => of(row));
      if (container === UNMOUNTED || own.every((amount) => amount === 0)) continue;
      const key = joined(...all);
      const labels = { namespace, pod, container, instance: node, node };
      const known = containers.get(key) ?? {
        labels: labelled(labelling, cluster, labels),
        hours: RESOURCES.map(() => 0),
        cost: 0,
      };
      own.forEach((amount, place) => (known.hours[place] = (known.hours[place] ?? 0) + amount));
      known.cost = costs.reduce((sum, cost) => sum + cost(row), known.cost);
      containers.set(key, known);
    }
  }
  return [...containers.values()];
}

/** A pod's containers share the cost of its volumes. */
function claimsOfPods(tables: readonly Table[], assets: Table, labelling: Labelling): ClaimOfPod[] {
  const claimOf = claimsByVolume(assets);
  const claims = new Map<string, ClaimOfPod>();
  for (const table of tables) {
    const names = (['cluster', 'namespace', 'pod'] as const).map((name) => textReader(table, name));
    const pvs = textReader(table, 'pvs');
    for (let row = 0; row < table.rows; row++) {
      const paid = pvs(row);
      const [cluster = '', namespace = '', pod = ''] = names.map((of) => of(row));
      if (paid === '' || pod === UNMOUNTED) continue;
      for (const [name, share] of Object.entries(JSON.parse(paid) as Record<string, Share>)) {
        const volume = name.slice(`cluster=${cluster}:name=`.length);
        const key = joined(cluster, namespace, pod, volume);
        const persistentvolumeclaim = claimOf.get(joined(cluster, volume)) ?? '';
        const labels = { namespace, pod, persistentvolumeclaim, persistentvolume: volume };
        const known = claims.get(key) ?? {
          labels: labelled(labelling, cluster, labels),
          byteHours: 0,
          cost: 0,
        };
        known.byteHours += share.byteHours;
        known.cost += share.cost;
        claims.set(key, known);
      }
    }
  }
  return [...claims.values()];
}

/** A member of `pvs`. */
interface Share {
  readonly byteHours: number;
  readonly cost: number;
}

function claimsByVolume(assets: Table): ReadonlyMap<string, string> {
  const [cluster, volume, claim] = ['cluster', 'volume', 'claim'].map((name) =>
    textReader(assets, name),
  );
  const claims = new Map<string, string>();
  for (let row = 0; row < assets.rows; row++) {
    const name = volume?.(row) ?? '';
    if (name !== '') claims.set(joined(cluster?.(row) ?? '', name), claim?.(row) ?? '');
  }
  return claims;
}
