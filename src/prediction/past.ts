/** What workloads were allocated, used and cost so far, from tables of stored allocations. */
import { textColumn, type Table } from '../columnar/index.ts';
import { amountsOf, NO_AMOUNTS, type Amounts, type Workload } from './workload.ts';

/** Columns of allocations that are read. */
export const PAST_COLUMNS: readonly string[] = [
  'cluster',
  'namespace',
  'controllerKind',
  'controller',
  'pod',
  'container',
  'startMs',
  'endMs',
  'cpuCoreHours',
  'cpuCoreUsageHours',
  'cpuCost',
  'ramByteHours',
  'ramByteUsageHours',
  'ramCost',
  'gpuHours',
  'gpuCost',
];

/** Whose past is asked for. */
export type WorkloadName = Pick<Workload, 'namespace' | 'kind' | 'name'>;

/** Sums over rows. */
export interface Sums {
  /** Amounts × hours. */
  readonly hours: Amounts;
  /** Used, likewise; of GPUs nothing is known. */
  readonly used: Amounts;
  /** USD. */
  readonly usd: Amounts;
}

export interface Past extends Sums {
  /** Of the time from the first start to the last end. */
  readonly livedHours: number;
  /** By the container's name: what one of them used on average while it ran. */
  readonly usageOf: Readonly<Record<string, Amounts>>;
}

const HOUR_MS = 3_600_000;
/** Idle and its kin. */
const OF_NO_POD = /^__\w+__$/;

const HOURS = { cpuCores: 'cpuCoreHours', ramBytes: 'ramByteHours', gpus: 'gpuHours' } as const;
const USED = { cpuCores: 'cpuCoreUsageHours', ramBytes: 'ramByteUsageHours', gpus: '' } as const;
const USD = { cpuCores: 'cpuCost', ramBytes: 'ramCost', gpus: 'gpuCost' } as const;

interface Growing {
  startMs: number;
  endMs: number;
  readonly sums: Sums;
  readonly containers: Map<string, { hours: number; used: Amounts }>;
}

/**
 * One pass over the rows of a cluster.
 * @returns what all pods of the cluster came to, and each of the workloads that has a past
 */
export function pastOf(
  tables: readonly Table[],
  cluster: string,
  workloads: readonly WorkloadName[],
): { readonly whole: Sums; readonly pasts: readonly (Past | null)[] } {
  const places = new Map(workloads.map((workload, place) => [keyOf(workload), place]));
  const growing = workloads.map((): Growing => ({ startMs: Infinity, endMs: -Infinity, sums: NOTHING, containers: new Map() })); // prettier-ignore
  let whole = NOTHING;
  for (const table of tables) {
    const read = readerOf(table);
    for (let row = 0; row < table.rows; row++) {
      if (read.text('cluster', row) !== cluster) continue;
      if (read.text('pod', row) === '' || OF_NO_POD.test(read.text('container', row))) continue;
      const sums = read.sums(row);
      whole = plus(whole, sums);
      const place = places.get(read.key(row));
      const one = place === undefined ? undefined : growing[place];
      if (place === undefined || one === undefined) continue;
      growing[place] = grown(one, sums, read.life(row), read.text('container', row));
    }
  }
  return { whole, pasts: growing.map(finished) };
}

const NOTHING: Sums = { hours: NO_AMOUNTS, used: NO_AMOUNTS, usd: NO_AMOUNTS };

function plus(a: Sums, b: Sums): Sums {
  return {
    hours: amountsOf((resource) => a.hours[resource] + b.hours[resource]),
    used: amountsOf((resource) => a.used[resource] + b.used[resource]),
    usd: amountsOf((resource) => a.usd[resource] + b.usd[resource]),
  };
}

/** Pods without a controller are their own. */
function keyOf({ namespace, kind, name }: WorkloadName): string {
  return [namespace, kind, name].join('\0');
}

interface Reader {
  text(column: string, row: number): string;
  key(row: number): string;
  sums(row: number): Sums;
  life(row: number): { readonly startMs: number; readonly endMs: number };
}

function readerOf(table: Table): Reader {
  const texts = new Map(PAST_COLUMNS.slice(0, 6).map((name) => [name, textColumn(table, name)]));
  const numbers = new Map(PAST_COLUMNS.slice(6).map((name) => [name, table.numbers(name)?.values]));
  const text = (column: string, row: number): string => {
    const found = texts.get(column);
    return found ? found.texts.text(found.codes[row] ?? 0) : '';
  };
  const number = (column: string, row: number): number => numbers.get(column)?.[row] ?? 0;
  return {
    text,
    key(row) {
      const controller = text('controller', row);
      const namespace = text('namespace', row);
      return controller === ''
        ? keyOf({ namespace, kind: 'pod', name: text('pod', row) })
        : keyOf({ namespace, kind: text('controllerKind', row).toLowerCase(), name: controller });
    },
    sums: (row) => ({
      hours: amountsOf((resource) => number(HOURS[resource], row)),
      used: amountsOf((resource) => number(USED[resource], row)),
      usd: amountsOf((resource) => number(USD[resource], row)),
    }),
    life: (row) => ({ startMs: number('startMs', row), endMs: number('endMs', row) }),
  };
}

function grown(
  { startMs, endMs, sums, containers }: Growing,
  more: Sums,
  life: ReturnType<Reader['life']>,
  container: string,
): Growing {
  const before = containers.get(container) ?? { hours: 0, used: NO_AMOUNTS };
  containers.set(container, {
    hours: before.hours + (life.endMs - life.startMs) / HOUR_MS,
    used: amountsOf((resource) => before.used[resource] + more.used[resource]),
  });
  return {
    startMs: Math.min(startMs, life.startMs),
    endMs: Math.max(endMs, life.endMs),
    sums: plus(sums, more),
    containers,
  };
}

function finished({ startMs, endMs, sums, containers }: Growing): Past | null {
  if (endMs <= startMs) return null;
  const usage = [...containers].map(([name, { hours, used }]) => [
    name,
    amountsOf((resource) => (hours > 0 ? used[resource] / hours : 0)),
  ]);
  return {
    ...sums,
    livedHours: (endMs - startMs) / HOUR_MS,
    usageOf: Object.fromEntries(usage) as Record<string, Amounts>,
  };
}
