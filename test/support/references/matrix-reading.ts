/** Reads matrices with the kernel, in any pieces. */
import {
  Arena,
  compileKernels,
  DamagedMatrix,
  instantiateKernels,
  MatrixReader,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from './dirty-memory.ts';
import { plainMatrix, type PlainSeries } from './matrix-reference.ts';

const memory = dirtyMemory(64 << 20);
const arena = new Arena(memory);
const kernels = instantiateKernels(compileKernels(), memory);
const OWNER = 1;

interface Reading {
  /** Where the array ended, -1 where it did not. */
  readonly end: number;
  readonly series: readonly PlainSeries[];
}

/** A result from behind its opening bracket, in pieces that end at `cuts`. @throws {DamagedMatrix} */
export function readMatrix(bytes: Uint8Array, cuts: readonly number[] = []): Reading {
  const series: PlainSeries[] = [];
  const reader = new MatrixReader(arena, kernels, OWNER, {
    onSeries: ({ labels, timesMs, values, nonFinite }) => {
      series.push({
        labels: Buffer.from(labels).toString('hex'),
        timesMs: [...timesMs],
        values: [...values],
        nonFinite,
      });
    },
    timeMs(text) {
      const ms = Math.round(1000 * Number(text));
      if (Number.isFinite(ms)) return ms;
      throw new DamagedMatrix('a time');
    },
    value(text) {
      const [plain] = plainMatrix(`{"values":[[0,"${text}"]]}]`);
      return plain?.values[0] ?? Number.NaN;
    },
  });
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  edges.sort((a, b) => a - b);
  try {
    for (const [i, from] of edges.slice(0, -1).entries()) {
      // At another place of memory than the other pieces, and gone when the next one comes.
      const piece = Buffer.alloc(i + (edges[i + 1] ?? 0) - from);
      piece.set(bytes.subarray(from, edges[i + 1]), i);
      const end = reader.push(piece, i);
      piece.fill(0x35);
      if (end >= 0) return { end: from + end - i, series };
    }
    return { end: -1, series };
  } finally {
    arena.release(OWNER);
  }
}
