/** Stored sets of allocations and usage, of containers whose samples are told one by one. */
import type { Engine } from '../../../src/columnar/index.ts';
import { USAGE_COLUMNS } from '../../../src/allocation/stored-rows.ts';
import type { EncodedSet, SetMeta } from '../../../src/storage/index.ts';
import { bytesOf, OWNER as SKETCHES, sketchesOf } from '../arbitraries/sketches.ts';
import { encoded, type Columns } from './stored-sets.ts';

const HOUR_MS = 3_600_000;

/** A container of a pod in one set. */
export interface Ran {
  readonly cluster?: string;
  readonly namespace?: string;
  readonly kind?: string;
  readonly controller: string;
  readonly container?: string;
  readonly pod: string;
  /** JSON. */
  readonly labels?: string;
  readonly startMs: number;
  readonly endMs: number;
  /** Cores and bytes; what is allocated is the request. */
  readonly cpuRequest: number;
  readonly ramRequest?: number;
  readonly usdPerCoreHour?: number;
  readonly usdPerByteHour?: number;
  /** Cores and bytes; of hours the averages and maxima are of each three. */
  readonly cpuUsed: readonly number[];
  readonly ramUsed: readonly number[];
  /** Devices, requested and used on the average. */
  readonly gpuRequest?: number;
  readonly gpuUsed?: number;
  readonly usdPerGpuHour?: number;
}

export interface SizedSpan {
  readonly startMs: number;
  readonly endMs: number;
  readonly ran: readonly Ran[];
  /** Whether usage is kept of it. */
  readonly isUsageKept?: boolean;
}

type Named = Required<Pick<Ran, 'cluster' | 'namespace' | 'kind' | 'controller' | 'container'>>;

function namesOf({ cluster = 'one', namespace = 'web', kind = 'deployment', controller, container = 'app' }: Ran): Named {
  return { cluster, namespace, kind, controller, container };
} // prettier-ignore

const keyOf = (ran: Ran): string => Object.values(namesOf(ran)).join('/');
const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Groups of three: what an hour is here. */
export function hoursOf(values: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(values.length / 3) }, (_, i) =>
    values.slice(3 * i, 3 * i + 3),
  );
}

/** In the order of the columns of usage. */
const COUNTED: readonly ((values: readonly number[]) => number[])[] = [
  (values) => [...values],
  (values) => hoursOf(values).map(mean),
  (values) => hoursOf(values).map((hour) => Math.max(...hour)),
];

export async function sizedSets(
  engine: Engine,
  spans: readonly SizedSpan[],
  meta: Partial<SetMeta> = {},
): Promise<EncodedSet[]> {
  const sets: EncodedSet[] = [];
  for (const { startMs, endMs, ran, isUsageKept = true } of spans) {
    sets.push(await encoded({ kind: 'allocations', startMs, endMs }, allocations(ran), meta));
    if (isUsageKept) {
      sets.push(await encoded({ kind: 'usage', startMs, endMs }, usage(engine, ran), meta));
      engine.arena.release(SKETCHES);
    }
  }
  return sets;
}

function allocations(ran: readonly Ran[]): Columns {
  const hours = ran.map(({ startMs, endMs }) => (endMs - startMs) / HOUR_MS);
  const each = (value: (one: Ran, hours: number) => number): number[] =>
    ran.map((one, i) => value(one, hours[i] ?? 0));
  const cpu = each(({ cpuRequest }, own) => cpuRequest * own);
  const ram = each(({ ramRequest = 0 }, own) => ramRequest * own);
  return {
    ...texts(ran),
    pod: ran.map(({ pod }) => pod),
    labels: ran.map(({ labels = '' }) => labels),
    startMs: each(({ startMs }) => startMs),
    endMs: each(({ endMs }) => endMs),
    cpuCoreHours: cpu,
    cpuCoreRequestHours: cpu,
    cpuCoreUsageHours: each(({ cpuUsed }, own) => (cpuUsed.length > 0 ? mean(cpuUsed) * own : 0)),
    cpuCost: each(({ usdPerCoreHour = 0 }, own) => usdPerCoreHour * own).map(
      (usd, i) => usd * (ran[i]?.cpuRequest ?? 0),
    ),
    ramByteHours: ram,
    ramByteRequestHours: ram,
    ramByteUsageHours: each(({ ramUsed }, own) => (ramUsed.length > 0 ? mean(ramUsed) * own : 0)),
    ramCost: each(
      ({ usdPerByteHour = 0, ramRequest = 0 }, own) => usdPerByteHour * ramRequest * own,
    ),
    gpuHours: each(({ gpuRequest = 0 }, own) => gpuRequest * own),
    gpuRequestHours: each(({ gpuRequest = 0 }, own) => gpuRequest * own),
    gpuUsageHours: each(({ gpuUsed = 0 }, own) => gpuUsed * own),
    gpuCost: each(({ usdPerGpuHour = 0, gpuRequest = 0 }, own) => usdPerGpuHour * gpuRequest * own),
  };
}

function texts(ran: readonly Ran[]): Columns {
  const names = ran.map(namesOf);
  return {
    cluster: names.map(({ cluster }) => cluster),
    namespace: names.map(({ namespace }) => namespace),
    controllerKind: names.map(({ kind }) => kind),
    controller: names.map(({ controller }) => controller),
    container: names.map(({ container }) => container),
  };
}

/** Replicas are one row; rows of which nothing was used are left out, as where sets are built. */
function usage(engine: Engine, ran: readonly Ran[]): Columns {
  const groups = new Map<string, Ran[]>();
  for (const one of ran) {
    if (one.cpuUsed.length + one.ramUsed.length === 0) continue;
    groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  }
  const rows = [...groups.values()];
  const used = {
    cpu: rows.map((all) => all.map((one) => one.cpuUsed)),
    ram: rows.map((all) => all.map((one) => one.ramUsed)),
  };
  const sketches = USAGE_COLUMNS.bytes.map((name, i): [string, Buffer[]] => {
    const lists = (i < 3 ? used.cpu : used.ram).map((all) =>
      all.flatMap((one) => COUNTED[i % 3]?.(one) ?? []),
    );
    return [name, bytesOf(engine, sketchesOf(engine, lists))];
  });
  const largest = (lists: readonly (readonly (readonly number[])[])[]): number[] =>
    lists.map((all) => Math.max(0, ...all.flat()));
  return {
    ...texts(rows.map(([first]) => first as Ran)),
    cpuCoreUsageMax: largest(used.cpu),
    ramByteUsageMax: largest(used.ram),
    ...Object.fromEntries(sketches),
  };
}
