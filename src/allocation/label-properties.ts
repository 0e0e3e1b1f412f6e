/** Properties that are labels, and what stands for a property that a row has not. */
import type { Property } from '../query/index.ts';

/** Shown for rows without the property, and asked for in filters. */
export const UNALLOCATED = '__unallocated__';

/**
 * Labels behind the properties that organisations name costs by; the peers' defaults. Where a row
 * has no such label, the annotation of that name counts.
 */
export const LABEL_OF: Readonly<Partial<Record<Property, string>>> = {
  department: 'department',
  environment: 'env',
  owner: 'owner',
  product: 'app',
  team: 'team',
};
