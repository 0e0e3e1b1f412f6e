/**
 * Structures in memory: bytes of each, and of its fields where they begin, by type.
 * Generated from workers/kernels/meter by `node --import tsx scripts/write-layout.ts`.
 */

export const HIDDEN = {
  bytes: 32,
  f64: { restartMs: 0, restartCost: 8, earlyCost: 16, earlyUsage: 24 },
} as const;

export const HOUR = { bytes: 32, f64: { number: 0, usage: 8, ms: 16, usageMax: 24 } } as const;

export const IDENTITY = { bytes: 12, u32: { firstSegment: 0, segments: 4, fewGapMs: 8 } } as const;

export const KEY_INDEX = {
  bytes: 36,
  u32: {
    slots: 0,
    mask: 4,
    keyOffsets: 8,
    keyBytes: 12,
    names: 16,
    partOfName: 20,
    parts: 24,
    fallbacks: 28,
    scratch: 32,
  },
} as const;

export const METER = {
  bytes: 264,
  u32: {
    cursor: 0,
    index: 4,
    identities: 8,
    segments: 12,
    runs: 16,
    sets: 20,
    setCount: 24,
    rows: 28,
    resource: 32,
    isCounter: 36,
    heads: 40,
    spans: 44,
    spanCount: 48,
    spanRoom: 52,
    pending: 56,
    span: 64,
    labelHash: 68,
    multiple: 72,
    dropped: 76,
    row: 80,
    lifeNames: 84,
    life: 88,
    covered: 92,
    variantNames: 96,
    variant: 100,
    splitNames: 104,
    scrapeNames: 108,
    scrape: 112,
    scrapes: 116,
    firstScrape: 120,
    wasReset: 124,
    segmentBytes: 128,
    hidden: 132,
    sampler: 140,
  },
  i32: { identity: 60 },
  f64: {
    gapMs: 144,
    stepMs: 152,
    maxRate: 160,
    lastMs: 168,
    lastValue: 176,
    sinceMs: 184,
    untilMs: 192,
    setStartMs: 200,
    request: 208,
    price: 216,
    capacity: 224,
    coveredMs: 232,
    scale: 240,
    fallenFrom: 248,
    risenFrom: 256,
  },
} as const;

export const RESOURCE_RUNS = {
  bytes: 24,
  u32: { firstRequest: 0, requests: 4, firstPrice: 8, prices: 12 },
  f64: { capacity: 16 },
} as const;

export const ROW = {
  bytes: 48,
  f64: { request: 0, requestCost: 8, excess: 16, excessCost: 24, usage: 32, usageMax: 40 },
} as const;

export const SAMPLER = {
  bytes: 28,
  u32: { sketches: 0, slots: 4, hours: 8, rows: 12, wanted: 16, isBridging: 20, owner: 24 },
} as const;

export const SEGMENT = {
  bytes: 32,
  f64: { startMs: 0, endMs: 8, zeroMs: 24 },
  u32: { row: 16, set: 20 },
} as const;

export const SKETCH = {
  bytes: 16,
  u32: { zeros: 0, room: 8, place: 12 },
  i32: { first: 4 },
} as const;

export const SKETCH_TABLE = {
  bytes: 20,
  u32: { sketches: 0, pool: 4, used: 8, room: 12, least: 16 },
} as const;

export const SPAN = {
  bytes: 88,
  f64: {
    fromMs: 0,
    toMs: 8,
    firstValue: 16,
    lastValue: 24,
    firstRate: 32,
    lastRate: 40,
    staleMs: 48,
    dippedMs: 56,
    stillMs: 64,
  },
  u32: { next: 72, life: 76, variant: 80, gapMs: 84 },
} as const;
