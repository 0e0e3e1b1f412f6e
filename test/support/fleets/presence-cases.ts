/** When a pod was there, by what is seen of it. Times are minutes; samples are a minute apart. */
import type { EndSource } from '../../../src/allocation/row/schema.ts';

/** First and last sample, time of the end marker. */
export type Seen = readonly [first: number, last: number, stale?: number];

export interface PresenceRow {
  readonly what: string;
  readonly seen: readonly Seen[];
  readonly start?: number;
  readonly completion?: number;
  readonly read?: readonly [start: number, end: number];
  readonly onGrid?: boolean;
  /** Minutes; '' when no sample shows it. */
  readonly stretches: string;
  readonly end?: EndSource;
  /** How far off the end can be. */
  readonly within?: number;
  readonly startIsKnown?: boolean;
}

export const PRESENCE_ROWS: readonly PresenceRow[] = [
  { what: 'never seen', seen: [], start: 5, completion: 9, stretches: '' },
  // Starts.
  {
    what: 'first seen soon after its start: from its start',
    seen: [[20, 100]],
    start: 19.5,
    stretches: '19.5-1000',
    read: [0, 1000],
    completion: 1000,
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'without a start: from its first sample',
    seen: [[20, 100]],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'first seen just a gap after its start: from its start',
    seen: [[30, 100]],
    start: 20,
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'first seen more than a gap after its start: from its first sample',
    seen: [[31, 100]],
    start: 20,
    completion: 100,
    stretches: '31-100',
    end: 'completionTime',
  },
  {
    what: 'started long before what was read: from its start',
    seen: [[1, 100]],
    start: -5000,
    completion: 100,
    stretches: '-5000-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'first seen after its completion: as its timestamps say',
    seen: [[60, 70]],
    start: 20,
    completion: 40,
    stretches: '20-40',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'seen before its start: from its start',
    seen: [[10, 100]],
    start: 12,
    completion: 100,
    stretches: '12-100',
    end: 'completionTime',
    startIsKnown: true,
  },
  // Ends.
  {
    what: 'completed before its last sample: to its completion',
    seen: [[20, 100]],
    completion: 80.25,
    stretches: '20-80.25',
    end: 'completionTime',
  },
  {
    what: 'completed long after its last sample: to its completion',
    seen: [[20, 100]],
    completion: 104,
    stretches: '20-104',
    end: 'completionTime',
  },
  {
    what: 'gone with a marker: to the marker',
    seen: [[20, 100, 100.5]],
    stretches: '20-100.5',
    end: 'staleMarker',
    within: 0.5,
  },
  {
    what: 'gone with several markers: to the first after its last sample',
    seen: [
      [20, 100, 100.75],
      [20, 90, 90.5],
      [20, 100, 100.5],
    ],
    stretches: '20-100.5',
    end: 'staleMarker',
    within: 0.5,
  },
  {
    what: 'gone on after a marker: not ended there',
    seen: [
      [20, 50, 51],
      [52, 100],
    ],
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'gone without a word, its start known: half an interval after its last sample',
    seen: [[20, 100]],
    start: 19.5,
    stretches: '19.5-100.5',
    end: 'lastSample',
    within: 0.5,
    startIsKnown: true,
  },
  {
    what: 'gone with a marker, its start known: to the middle between its last sample and the marker',
    seen: [[20, 100, 100.5]],
    start: 19.5,
    stretches: '19.5-100.25',
    end: 'staleMarker',
    within: 0.25,
    startIsKnown: true,
  },
  {
    what: 'gone without a word: one interval after its last sample, late as its start is',
    seen: [[20, 100]],
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'seen within two intervals of the end of what was read: running',
    seen: [[20, 998.5]],
    stretches: '20-1000',
    end: 'running',
    within: 0,
  },
  {
    what: 'last seen two intervals before the end of what was read: ended',
    seen: [[20, 998]],
    stretches: '20-999',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'completed before it started, by a clock that was set: to the end that samples show',
    seen: [[20, 100]],
    start: 20,
    completion: 15,
    stretches: '20-100.5',
    end: 'lastSample',
    within: 0.5,
    startIsKnown: true,
  },
  // Gaps.
  {
    what: 'missing for just a gap: one stretch',
    seen: [
      [20, 50],
      [60, 100],
    ],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'missing for more than a gap: two stretches, the first one interval longer than seen',
    seen: [
      [20, 50],
      [60.5, 100],
    ],
    completion: 100,
    stretches: '20-51 60.5-100',
    end: 'completionTime',
  },
  {
    what: 'missing in one series but not in another: one stretch',
    seen: [
      [20, 30],
      [70, 100],
      [25, 72],
    ],
    completion: 100,
    stretches: '20-100',
    end: 'completionTime',
  },
  {
    what: 'completed within its first stretch: the second is none',
    seen: [
      [20, 50],
      [80, 100],
    ],
    completion: 40,
    stretches: '20-40',
    end: 'completionTime',
  },
  // Grids: an end told by samples goes with a start told by samples.
  {
    what: 'on a grid, gone without a word: from its first sample',
    seen: [[20, 100]],
    start: 19.5,
    onGrid: true,
    stretches: '20-101',
    end: 'lastSample',
    within: 1,
  },
  {
    what: 'on a grid, completed: from its start',
    seen: [[20, 100]],
    start: 19.5,
    completion: 99.5,
    onGrid: true,
    stretches: '19.5-99.5',
    end: 'completionTime',
    startIsKnown: true,
  },
  {
    what: 'on a grid, running: from its start',
    seen: [[20, 999]],
    start: 19.5,
    onGrid: true,
    stretches: '19.5-1000',
    end: 'running',
    startIsKnown: true,
  },
];
