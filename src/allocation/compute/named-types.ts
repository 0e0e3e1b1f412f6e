/** Warnings of nodes by their types, of GPUs by their models, and of volumes by their storage classes. */

import { warning, type Warning } from '../../query/index.ts';

/** Names that are told, so many that a cluster seldom has more: the others are counted. */
const NAMED = 20;

/** How what is counted is called. */
interface Things {
  readonly many: string;
  readonly type: string;
  readonly types: string;
}

export const NODES: Things = { many: 'nodes', type: 'type', types: 'types' };
export const GPUS: Things = { many: 'GPUs of nodes', type: 'model', types: 'models' };
export const VOLUMES: Things = {
  many: 'volumes',
  type: 'storage class',
  types: 'storage classes',
};

/**
 * What types of nodes lack, the most frequent named first.
 * @param counts nodes by type and place, such as `AWS us-east-1 x9.large`
 * @returns no text without counts
 */
export function namedTypes(
  counts: readonly (readonly [name: string, nodes: number])[],
  lack: string,
  sequel: string,
  { many, type, types }: Things = NODES,
  about: Parameters<typeof warning>[1] = {},
): Warning[] {
  if (counts.length === 0) return [];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const byCount = counts.toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const named = byCount.slice(0, NAMED).map(([name, count]) => `${name} (${count})`);
  const more = counts.length > NAMED ? ` and ${counts.length - NAMED} more` : '';
  const kinds = counts.length === 1 ? `1 ${type}` : `${counts.length} ${types}`;
  const message = `${many} of ${kinds} with ${lack} (${named.join(', ')}${more}): ${total}; ${sequel}`;
  return [warning(message, about)];
}
