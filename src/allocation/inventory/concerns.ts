/** Doubts about rows, each a bit of the column `concerns` of their members: warnings state what these rows cost. */
export const CONCERNS = [
  'uncatalogued', 'unlisted', 'unlistedRegion', 'unlistedGpus', 'guessedSpot', 'doubtedPrice',
  'fargate', 'autopilot', 'windows', 'virtual', 'book', 'kwok',
  'outlived', 'relabelled', 'doubtedRequest',
] as const; // prettier-ignore
export type Concern = (typeof CONCERNS)[number];

/** Concerns about a node's price; what is on the node has them too. */
export type NodeConcern = Exclude<Concern, 'outlived' | 'relabelled' | 'doubtedRequest'>;

export function bitOfConcern(concern: Concern): number {
  return 1 << CONCERNS.indexOf(concern);
}

/** Nodes by concern, as `cluster/node`. */
export type ConcernedNodes = Readonly<Partial<Record<NodeConcern, readonly string[]>>>;
