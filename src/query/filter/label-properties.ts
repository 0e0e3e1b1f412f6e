/** Properties that are labels. */
import type { Property } from './aggregate.ts';

/**
 * Labels behind the properties of organisations, with OpenCost's default names. A row without the label
 * has the value of the annotation with that name.
 */
export const LABEL_OF: Readonly<Partial<Record<Property, string>>> = {
  department: 'department',
  environment: 'env',
  owner: 'owner',
  product: 'app',
  team: 'team',
};
