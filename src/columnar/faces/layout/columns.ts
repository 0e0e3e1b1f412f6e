/**
 * Structures in memory: bytes of each, and of its fields where they begin, by type.
 * Generated from workers/kernels/columns by `node --import tsx scripts/write-layout.ts`.
 */

export const DEMAND_COLUMNS = {
  bytes: 56,
  u32: {
    startMs: 0,
    endMs: 4,
    cpuCoreHours: 8,
    cpuCoreRequestHours: 12,
    cpuCoreUsageHours: 16,
    cpuCost: 20,
    cpuCostAdjustment: 24,
    ramByteHours: 28,
    ramByteRequestHours: 32,
    ramByteUsageHours: 36,
    ramCost: 40,
    ramCostAdjustment: 44,
    labels: 48,
    annotations: 52,
  },
} as const;

export const DEMAND_RECORD = {
  bytes: 160,
  f64: {
    hours: 0,
    cpuAmount: 8,
    cpuRequest: 16,
    cpuUsage: 24,
    cpuCost: 32,
    cpuPriceHours: 40,
    ramAmount: 48,
    ramRequest: 56,
    ramUsage: 64,
    ramCost: 72,
    ramPriceHours: 80,
    cpuLargest: 88,
    ramLargest: 96,
    isSelected: 104,
    latestEndMs: 112,
    latestStartMs: 120,
    cpuLatest: 128,
    ramLatest: 136,
  },
  u32: { labels: 144, annotations: 148 },
} as const;

export const LIVES = {
  bytes: 68,
  u32: {
    row: 0,
    firstSet: 4,
    sets: 8,
    stretch: 12,
    stretches: 16,
    leftOut: 20,
    startUncertaintiesMs: 24,
    endUncertaintiesMs: 28,
    gapUncertaintiesMs: 32,
    timesMs: 36,
    members: 40,
    rows: 44,
    startsMs: 48,
    endsMs: 52,
    scale: 56,
    lessMs: 60,
    moreMs: 64,
  },
} as const;

export const PODS = {
  bytes: 32,
  u32: {
    place: 0,
    row: 4,
    firstSet: 8,
    sets: 12,
    containers: 16,
    members: 20,
    rows: 24,
    shares: 28,
  },
} as const;

export const TUPLE_COLUMN = { bytes: 8, u32: { codes: 0, by: 4 } } as const;

export const TUPLE_TABLE = {
  bytes: 24,
  u32: { slots: 0, mask: 4, count: 8, width: 12, tuples: 16, hashes: 20 },
} as const;
