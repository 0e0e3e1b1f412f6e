/** Properties that are labels. */
import type { Property } from './aggregate.ts';

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
