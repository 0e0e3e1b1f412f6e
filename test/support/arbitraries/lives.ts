/** Lives of one thing: stretches that follow each other. */
import fc from 'fast-check';

/** Up to four stretches [startMs, endMs) in 0 to 3000. */
export const someLives: fc.Arbitrary<[startMs: number, endMs: number][]> = fc
  .uniqueArray(fc.integer({ min: 0, max: 3000 }), { maxLength: 8 })
  .map((times) => {
    const sorted = times.toSorted((a, b) => a - b);
    const pairs = Math.floor(sorted.length / 2);
    return Array.from({ length: pairs }, (_, i) => [sorted[2 * i] ?? 0, sorted[2 * i + 1] ?? 0]);
  });
