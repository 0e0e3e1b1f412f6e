/** Warnings of nodes by their types. */

/** The types that are named: the others are counted. */
const NAMED = 5;

/**
 * What types of nodes lack, the most frequent named first.
 * @param counts nodes by type and place, such as `AWS us-east-1 x9.large`
 * @returns no text without counts
 */
export function namedTypes(
  counts: readonly (readonly [name: string, nodes: number])[],
  lack: string,
  sequel: string,
): string[] {
  if (counts.length === 0) return [];
  const nodes = counts.reduce((sum, [, count]) => sum + count, 0);
  const byCount = counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const named = byCount.slice(0, NAMED).map(([name, count]) => `${name} (${count})`);
  const more = counts.length > NAMED ? ` and ${counts.length - NAMED} more` : '';
  const types = counts.length === 1 ? '1 type' : `${counts.length} types`;
  return [`nodes of ${types} with ${lack} (${named.join(', ')}${more}): ${nodes}; ${sequel}`];
}
