/** A request as text. */
import { bytes, number } from '../../format.ts';
import type { Resource } from './sizing.ts';

/** @param value millicores or MiB */
export function amount(resource: Resource, value: number): string {
  return resource === 'cpu' ? `${number(value, 0)}m` : bytes(value * 2 ** 20);
}
