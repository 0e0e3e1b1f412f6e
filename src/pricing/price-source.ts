/**
 * Where a price comes from, the surest first: what a bill charged that day; what it charged on days
 * before; a price series; the operator's file; a list price of the node's type; the book of defaults.
 */
export type PriceSource =
  | 'bill'
  | 'recentBill'
  | 'series'
  | 'file'
  | 'list'
  | 'book'
  | Terms
  | Mixed;

/**
 * List prices of nodes that are not billed as Linux machines: pods by their size (`fargate`, `autopilot`),
 * with a licence (`windows`); and nodes that cost nothing themselves (`virtual`, `kwok`).
 */
type Terms = 'fargate' | 'autopilot' | 'windows' | 'virtual' | 'kwok';

/** Prices of several sources. */
type Mixed = 'mixed';

/** The source of several prices together. @param sources '' for what has no price */
export function sourceOfAll(sources: readonly (PriceSource | '')[]): PriceSource | '' {
  const [first = '', ...others] = new Set(sources.filter((source) => source !== ''));
  return others.length > 0 ? 'mixed' : first;
}
