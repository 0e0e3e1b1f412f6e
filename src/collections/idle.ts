/** What of idle collections bear: `hide` none, else as much as their rows would in their place. */
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
