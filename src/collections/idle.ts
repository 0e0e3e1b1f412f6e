/** The idle that collections are charged for: none under `hide`, else the share of their rows. */
import { shapeOf, type Shape } from '../query/index.ts';

export const IDLE_WORDS = ['hide', 'shareByCluster', 'shareByNode'] as const;
export type Idle = (typeof IDLE_WORDS)[number];

export interface Configs {
  idle: Idle;
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
