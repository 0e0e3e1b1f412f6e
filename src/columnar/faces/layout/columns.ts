/**
 * Structures in memory: bytes of each, and of its fields where they begin, by type.
 * Generated from workers/kernels/columns by `node --import tsx scripts/write-layout.ts`.
 */

export const DEMAND_COLUMNS = {
  bytes: 76,
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
    gpuHours: 48,
    gpuRequestHours: 52,
    gpuUsageHours: 56,
    gpuCost: 60,
    gpuCostAdjustment: 64,
    labels: 68,
    annotations: 72,
  },
} as const;

export const DEMAND_RECORD = {
  bytes: 216,
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
    gpuAmount: 88,
    gpuRequest: 96,
    gpuUsage: 104,
    gpuCost: 112,
    gpuPriceHours: 120,
    cpuLargest: 128,
    ramLargest: 136,
    gpuLargest: 144,
    isSelected: 152,
    latestEndMs: 160,
    latestStartMs: 168,
    cpuLatest: 176,
    ramLatest: 184,
    gpuLatest: 192,
  },
  u32: { labels: 200, annotations: 204 },
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
