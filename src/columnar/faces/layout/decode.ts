/**
 * Structures in memory: bytes of each, and of its fields where they begin, by type.
 * Generated from workers/kernels/decode by `node --import tsx scripts/write-layout.ts`.
 */

export const CONDENSED_RECORD = {
  bytes: 48,
  u32: { labelBytes: 0, runs: 4, identityBytes: 8, identityHash: 12 },
  f64: { firstMs: 16, lastMs: 24, staleMs: 32, intervalMs: 40 },
} as const;

export const CONDENSER = {
  bytes: 80,
  u32: {
    cursor: 0,
    keep: 4,
    out: 8,
    outEnd: 12,
    neededBytes: 16,
    pending: 20,
    dropped: 24,
    scratch: 28,
    labelBytes: 32,
    metric: 36,
    identity: 40,
    identityBytes: 44,
    isSteady: 48,
  },
  f64: { startMs: 56, endMs: 64, gapMs: 72 },
} as const;

export const CSV_TABLE = {
  bytes: 52,
  u32: {
    bytes: 0,
    length: 4,
    columns: 8,
    targets: 12,
    texts: 16,
    index: 20,
    numbers: 24,
    room: 28,
    odd: 32,
    uneven: 36,
    rows: 40,
    odds: 44,
    unevens: 48,
  },
} as const;

export const JSON_BYTES = {
  bytes: 32,
  u32: { at: 0, end: 4, wrong: 12, textFrom: 16, textKnown: 20, textEscapes: 24, hasEscapes: 28 },
  i32: { status: 8 },
} as const;

export const JSON_SKIP = {
  bytes: 48,
  u32: {
    at: 0,
    end: 4,
    wrong: 12,
    textFrom: 16,
    textKnown: 20,
    textEscapes: 24,
    hasEscapes: 28,
    expects: 32,
    depth: 36,
  },
  i32: { status: 8 },
  u64: { arrays: 40 },
} as const;

export const LABEL_VIEW = {
  bytes: 20,
  u32: { name: 0, nameBytes: 4, value: 8, valueBytes: 12, next: 16 },
} as const;

export const MATRIX_READER = {
  bytes: 120,
  u32: {
    at: 0,
    end: 4,
    wrong: 12,
    textFrom: 16,
    textKnown: 20,
    textEscapes: 24,
    hasEscapes: 28,
    expects: 32,
    depth: 36,
    oddTimeAt: 72,
    oddValueAt: 76,
    tokenFrom: 80,
    tokenTo: 84,
    step: 88,
    labels: 92,
    neededBytes: 96,
    times: 100,
    values: 104,
    room: 108,
    samples: 112,
    nonFinite: 116,
  },
  i32: { status: 8 },
  u64: { arrays: 40 },
  f64: { number: 48, oddTime: 56, oddValue: 64 },
} as const;

export const NAMES = { bytes: 4, u32: { count: 0 } } as const;

export const ODD_CELL = { bytes: 16, u32: { row: 0, number: 4, address: 8, bytes: 12 } } as const;

export const SAMPLES_BLOCK = { bytes: 8, u32: { labelBytes: 0, samples: 4 } } as const;

export const SERIES_CURSOR = {
  bytes: 80,
  u32: {
    at: 0,
    end: 4,
    encoding: 8,
    crcTable: 12,
    scratchTimestamps: 16,
    scratchValues: 20,
    room: 24,
    messageEnd: 28,
    seriesEnd: 32,
    labels: 36,
    labelsEnd: 40,
    timestamps: 44,
    values: 48,
    samples: 52,
    data: 56,
    dataBytes: 60,
  },
  f64: { latestMs: 64, samplesRead: 72 },
} as const;

export const STORED_SERIES = {
  bytes: 24,
  u32: { labelBytes: 0, chunkBytes: 4 },
  f64: { firstMs: 8, lastMs: 16 },
} as const;

export const TEXT_AT = { bytes: 8, u32: { address: 0, bytes: 4 } } as const;

export const UNEVEN_ROW = { bytes: 8, u32: { row: 0, cells: 4 } } as const;

export const WRITTEN_LABELS = {
  bytes: 24,
  u32: { from: 0, room: 4, bytes: 8, count: 12, last: 16, view: 20 },
} as const;
