/** The idle that collections are charged for: none under `hide`, else the share of their rows. */
import { IDLE_NAME } from './entries.ts';
import { shapeOf, type Shape } from '../query/index.ts';

export const IDLE_WORDS = ['hide', 'shareByCluster', 'shareByNode'] as const;
export type Idle = (typeof IDLE_WORDS)[number];

export interface Configs {
  idle: Idle;
}

/** The rows of idle that stands beside collections: one, or one for each cluster or node. */
export type IdleNames = 'one' | 'cluster' | 'node';

/** @param own the name of the idle of one node, `cluster/node/__idle__` */
export function idleName(own: string, names: IdleNames): string {
  if (names === 'node') return own;
  // Names of clusters may have slashes, those of nodes have none.
  const node = own.lastIndexOf('/', own.length - IDLE_NAME.length - 2);
  return names === 'one' || node < 0 ? IDLE_NAME : `${own.slice(0, node)}/${IDLE_NAME}`;
}

export const configsOf: Shape<Configs> = shapeOf<Configs>(
  {
    type: 'object',
    properties: { idle: { type: 'string', enum: IDLE_WORDS } },
    required: ['idle'],
    additionalProperties: false,
  },
  '{"idle":"shareByCluster"}',
);
