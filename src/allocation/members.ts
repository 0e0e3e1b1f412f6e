/**
 * Workloads as columns: one row a workload, texts as codes of one dictionary, so that any thread
 * can tell names, rows and stretches by addresses alone.
 */
import {
  createFrame,
  Dictionary,
  DictionaryBuilder,
  Frame,
  type Arena,
  type ColumnSpec,
  type Owner,
} from '../columnar/index.ts';
import type { RowRange } from './ledger.ts';
import { END_SOURCES, IDENTITY_COLUMNS } from './schema.ts';
import type { Workload } from './workloads.ts';

const COLUMNS: readonly ColumnSpec[] = [
  ...IDENTITY_COLUMNS.map((name): ColumnSpec => ({ name, type: 'u32' })),
  /** Code of the labels as a JSON object with its names in order. */
  { name: 'labels', type: 'u32' },
  { name: 'endSource', type: 'u32' },
  { name: 'endUncertaintyMs', type: 'f64' },
  { name: 'row', type: 'u32' },
  { name: 'firstSet', type: 'u32' },
  { name: 'sets', type: 'u32' },
  /** Its stretches are pairs [start, end) at `stretch` in the list of stretches. */
  { name: 'stretch', type: 'u32' },
  { name: 'stretches', type: 'u32' },
];

/** Addresses; opened by `openMembers`. */
export interface MembersAt {
  readonly frame: number;
  readonly dictionary: number;
  readonly stretches: number;
  readonly stretchCount: number;
}

export interface Members {
  readonly frame: Frame;
  readonly dictionary: Dictionary;
  /** Pairs (startMs, endMs). */
  readonly stretches: Float64Array;
}

export function openMembers(arena: Arena, at: MembersAt): Members {
  return {
    frame: new Frame(arena, at.frame),
    dictionary: new Dictionary(arena, at.dictionary),
    stretches: arena.f64(at.stretches, 2 * at.stretchCount),
  };
}

export function storeMembers(
  arena: Arena,
  owner: Owner,
  workloads: readonly Workload[],
  ranges: readonly RowRange[],
): MembersAt {
  const frame = createFrame(arena, COLUMNS, workloads.length, owner);
  const texts = new DictionaryBuilder();
  const stretches: number[] = [];
  const columns = Object.fromEntries(
    COLUMNS.filter(({ type }) => type === 'u32').map(({ name }) => [name, frame.u32(name)]),
  ) as Record<string, Uint32Array>;
  const set = (name: string, row: number, value: number): void => {
    const column = columns[name];
    if (column) column[row] = value;
  };
  const uncertainties = frame.f64('endUncertaintyMs');
  workloads.forEach((workload, i) => {
    for (const name of IDENTITY_COLUMNS) set(name, i, texts.code(workload[name]));
    set('labels', i, texts.code(labelsJson(workload.labels)));
    set('endSource', i, END_SOURCES.indexOf(workload.endSource));
    uncertainties[i] = workload.endUncertaintyMs;
    set('row', i, ranges[i]?.row ?? 0);
    set('firstSet', i, ranges[i]?.firstSet ?? 0);
    set('sets', i, ranges[i]?.sets ?? 0);
    set('stretch', i, stretches.length / 2);
    set('stretches', i, workload.stretches.length);
    for (const { startMs, endMs } of workload.stretches) stretches.push(startMs, endMs);
  });
  const stretchesAt = arena.allocate(8 * Math.max(1, stretches.length), owner);
  arena.f64(stretchesAt, stretches.length).set(stretches);
  return {
    frame: frame.address,
    dictionary: texts.store(arena, owner).address,
    stretches: stretchesAt,
    stretchCount: stretches.length / 2,
  };
}

/** '' without labels; a name such as `__proto__` is an ordinary name here. */
function labelsJson(labels: Workload['labels']): string {
  if (labels.length === 0) return '';
  return `{${labels.map((pair) => pair.map((text) => JSON.stringify(text)).join(':')).join(',')}}`;
}

/** The labels that `labelsJson` wrote. */
export function parseLabels(text: string): Map<string, string> {
  if (text === '') return new Map();
  return new Map(Object.entries(JSON.parse(text) as Record<string, string>));
}
