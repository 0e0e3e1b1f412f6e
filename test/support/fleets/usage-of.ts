/** What containers used over stored sets, by container, and what a fleet says they did. */
import { USAGE_COLUMNS, type UsageColumn } from '../../../src/allocation/stored-rows.ts';
import {
  compileKernels,
  createEngine,
  DEMAND,
  DEMAND_FIELDS,
  sketchQuantiles,
} from '../../../src/columnar/index.ts';
import { openDemand, sketchesOf, textTable } from '../../../src/request-sizing/demand/demand-at.ts';
import { sumDemand } from '../../../src/request-sizing/demand/demand-tasks.ts';
import { SetReader } from '../../../src/storage/index.ts';
import type { Building } from '../stores/builds.ts';
import type { Course, Fleet, Span } from './fleet.ts';

interface UsageFigure {
  readonly name: string;
  readonly of: UsageColumn;
  readonly q: number;
}

export const USAGE_FIGURES: readonly UsageFigure[] = [
  { name: 'cpu0', of: 'cpuCoreUsage', q: 0 },
  { name: 'cpu50', of: 'cpuCoreUsage', q: 0.5 },
  { name: 'cpu80', of: 'cpuCoreUsage', q: 0.8 },
  { name: 'cpu100', of: 'cpuCoreUsage', q: 1 },
  { name: 'cpuOfAverages', of: 'cpuCoreHourlyAverage', q: 0.5 },
  { name: 'cpuOfMaxes', of: 'cpuCoreHourlyMax', q: 1 },
  { name: 'ram0', of: 'ramByteUsage', q: 0 },
  { name: 'ram50', of: 'ramByteUsage', q: 0.5 },
  { name: 'ram80', of: 'ramByteUsage', q: 0.8 },
  { name: 'ram100', of: 'ramByteUsage', q: 1 },
  { name: 'ramOfAverages', of: 'ramByteHourlyAverage', q: 0.5 },
  { name: 'ramOfMaxes', of: 'ramByteHourlyMax', q: 1 },
];
const KEYS = ['namespace', 'controllerKind', 'controller', 'container'];

type Figures = Readonly<Record<string, number>>;

/** Figures by `namespace/kind/controller/container`. */
export function usedOver(building: Building, spans: readonly Span[]): Map<string, Figures> {
  const { compute, sets } = building;
  const { arena, owners } = compute;
  const [owner, scratch] = [owners.take(), owners.take()];
  try {
    const engine = createEngine(compileKernels(), arena.memory, owner);
    const stored = spans.map(([startMs, endMs]) => {
      const set = sets.locate({ kind: 'usage', startMs, endMs });
      if (set === undefined) throw new Error(`no usage of ${startMs}`);
      return set;
    });
    const { demand } = sumDemand(engine, new SetReader(arena), {
      allocations: [],
      usage: stored,
      columns: USAGE_COLUMNS.bytes,
      filter: null,
      isLabelled: false,
      owner: scratch,
      keeper: owner,
    });
    const opened = openDemand(engine, demand);
    const table = textTable(opened);
    const largest = (row: number, resource: 'cpu' | 'ram'): number =>
      opened.records[row * DEMAND_FIELDS + DEMAND[resource].largest] ?? NaN;
    const quantiles = new Map(
      USAGE_FIGURES.map(({ name, of, q }) => [
        name,
        sketchQuantiles(engine, owner, sketchesOf(demand, of), q),
      ]),
    );
    const rows = Array.from({ length: table.rows }, (_, row): [string, Figures] => {
      const key = KEYS.map((name) => {
        const column = table.text(name);
        return column?.texts.text(column.codes[row] ?? 0) ?? '';
      });
      const figures = [
        ...USAGE_FIGURES.map(({ name }) => [name, quantiles.get(name)?.[row] ?? 0]),
        ['cpuCoreUsageMax', largest(row, 'cpu')],
        ['ramByteUsageMax', largest(row, 'ram')],
      ];
      return [key.join('/'), Object.fromEntries(figures) as Figures];
    });
    return new Map(rows);
  } finally {
    for (const each of [owner, scratch]) {
      owners.free(each);
    }
  }
}

/** What a course has at each minute's sample of the span, ascending. */
function minutesOf(course: Course, [startMs, endMs]: Span): number[] {
  const values: number[] = [];
  for (let ms = startMs + 10_000; ms < endMs; ms += 60_000) {
    values.push(course.findLast(([fromMs]) => fromMs <= ms)?.[1] ?? 0);
  }
  return values.sort((a, b) => a - b);
}

/**
 * The least and the greatest value that the figure `cpu50` (or `ram100` …) of a pod's first container
 * may have when it ran all the time: two hundredths of the samples may lie on either side of an edge.
 */
export function boundsOf(fleet: Fleet, pod: string, figure: string, span: Span): [number, number] {
  const container = fleet.pods.find(({ name }) => name === pod)?.containers[0];
  if (!container) throw new Error(`no pod ${pod}`);
  const { cpuUsageCores, ramUsageBytes } = container;
  const values = minutesOf(figure.startsWith('cpu') ? cpuUsageCores : ramUsageBytes, span);
  const at = (q: number): number =>
    values[Math.round(Math.min(1, Math.max(0, q)) * (values.length - 1))] ?? NaN;
  const q = Number(figure.slice(3)) / 100;
  return [0.99 * at(q - 0.02), 1.01 * at(q + 0.02)];
}
