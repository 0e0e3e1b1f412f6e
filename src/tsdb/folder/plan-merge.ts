/** Which blocks become one. */
import { HOUR_MS } from '../../query/index.ts';
import type { BlockMeta } from '../format/block-meta.ts';
import { overlaps } from '../format/overlaps.ts';

/** Lengths of merged blocks, aligned to the epoch: twelve cuts of two hours become a day in two steps. */
const MERGED_MS: readonly number[] = [8 * HOUR_MS, 24 * HOUR_MS];

/**
 * Blocks whose times overlap first; then those of one span of time, the shorter spans first, once a newer
 * block shows that the span is over.
 * @param blocks in order of their beginnings
 */
export function planMerge(blocks: readonly BlockMeta[]): readonly BlockMeta[] | undefined {
  const overlapping = overlaps(blocks).find((group) => group.length > 1);
  if (overlapping !== undefined) return overlapping;
  const newestMs = Math.max(...blocks.map(({ startMs }) => startMs));
  for (const lengthMs of MERGED_MS) {
    const spans = new Map<number, BlockMeta[]>();
    for (const block of blocks) {
      const span = Math.floor(block.startMs / lengthMs);
      if (block.endMs > (span + 1) * lengthMs) continue;
      const group = spans.get(span) ?? [];
      group.push(block);
      spans.set(span, group);
    }
    for (const [span, group] of spans)
      if (group.length > 1 && (span + 1) * lengthMs <= newestMs) return group;
  }
  return undefined;
}
