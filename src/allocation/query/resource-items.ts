/** What grouped rows requested and used of CPU, memory and GPUs, on the average and at most. */
import { spendHeap, type Frame, type Texts } from '../../columnar/index.ts';
import { groupedTable } from './aggregate.ts';
import { kindsOf, ROW_KINDS } from '../row/row-kinds.ts';

/** Amounts of a resource: cores, bytes or GPUs. */
interface Amounts {
  readonly request: { readonly avg: number };
  readonly usage: { readonly avg: number; readonly max: number | null };
}

export interface ResourceItem {
  readonly name: string;
  readonly cpu: Amounts;
  readonly ram: Amounts;
  readonly gpu: Amounts;
}

/** Columns of maxima, which grouped rows otherwise lack. */
export const MAXIMA: readonly string[] = ['cpuCoreUsageMax', 'ramByteUsageMax'];

const RESOURCES = [
  ['cpu', 'cpuCoreRequestHours', 'cpuCoreUsageHours', 'cpuCoreUsageMax'],
  ['ram', 'ramByteRequestHours', 'ramByteUsageHours', 'ramByteUsageMax'],
  ['gpu', 'gpuRequestHours', 'gpuUsageHours', ''],
] as const;

const ITEM_BYTES = 600;

interface Sums {
  /** By resource: unit × hours requested and used, and the largest use of one container. */
  readonly of: { request: number; usage: number; max: number }[];
}

/**
 * @param hours of all sets together, which averages are of
 * @returns by name; idle is no item
 * @throws {HeapFull}
 */
export function resourceItems(
  sets: readonly { readonly frame: Frame; readonly texts: Texts }[],
  hours: number,
): ResourceItem[] {
  const sums = new Map<string, Sums>();
  for (const { frame, texts } of sets) {
    const kinds = kindsOf(groupedTable(frame, texts));
    const names = frame.u32('name');
    const read = (column: string): ((row: number) => number) => {
      const values = frame.has(column) ? frame.f64(column) : undefined;
      return (row) => values?.[row] ?? 0;
    };
    const columns = RESOURCES.map(([, ...of]) => of.map(read));
    for (let row = 0; row < frame.rows; row++) {
      if (kinds[row] === ROW_KINDS.idle) continue;
      const name = texts.text(names[row] ?? 0);
      const sum = sums.get(name) ?? { of: RESOURCES.map(() => ({ request: 0, usage: 0, max: 0 })) };
      if (!sums.has(name)) spendHeap(ITEM_BYTES);
      sums.set(name, sum);
      columns.forEach(([request, usage, max], resource) => {
        const own = sum.of[resource];
        if (!own) return;
        own.request += request?.(row) ?? 0;
        own.usage += usage?.(row) ?? 0;
        own.max = Math.max(own.max, max?.(row) ?? 0);
      });
    }
  }
  const items = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return items.map(([name, { of }]) => ({ name, ...amountsOf(of, hours) }));
}

function amountsOf(of: Sums['of'], hours: number): Omit<ResourceItem, 'name'> {
  const [cpu, ram, gpu] = RESOURCES.map(([, , , maximum], resource): Amounts => {
    const { request = 0, usage = 0, max = 0 } = of[resource] ?? {};
    const per = (amount: number): number => (hours > 0 ? amount / hours : 0);
    return {
      request: { avg: per(request) },
      usage: { avg: per(usage), max: maximum === '' ? null : max },
    };
  });
  if (!cpu || !ram || !gpu) throw new Error('BUG: a resource has no amounts');
  return { cpu, ram, gpu };
}
