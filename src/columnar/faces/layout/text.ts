/**
 * Structures in memory: bytes of each, and of its fields where they begin, by type.
 * Generated from workers/kernels/text by `node --import tsx scripts/write-layout.ts`.
 */

export const ITEM = {
  bytes: 48,
  u32: {
    kind: 0,
    column: 4,
    literal: 8,
    literalBytes: 12,
    offsets: 16,
    texts: 20,
    missing: 24,
    missingBytes: 28,
    codes: 32,
    textBytes: 36,
  },
} as const;

export const JOINED_COLUMN = { bytes: 12, u32: { codes: 0, offsets: 4, bytes: 8 } } as const;

export const ORDER_RECORD = { bytes: 16, u64: { key: 0 }, u32: { text: 8 } } as const;

export const PROGRAM = {
  bytes: 32,
  u32: { items: 0, separator: 4, separatorBytes: 8, rows: 12, runs: 16, runsAt: 20 },
} as const;

export const TEXT_TABLE = {
  bytes: 32,
  u32: {
    slots: 0,
    mask: 4,
    count: 8,
    offsets: 12,
    bytes: 16,
    hashes: 20,
    textsRoom: 24,
    bytesRoom: 28,
  },
} as const;
