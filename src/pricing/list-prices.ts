/**
 * Public list prices of usual node types, in USD: AWS us-east-1, Azure eastus and westeurope, GCP
 * us-central1, us-west1 and europe-west1, of mid 2026, from the providers' price lists. Made by
 * scripts/list-prices.ts; on demand, and spot where it was known.
 */
import { readFileSync } from 'node:fs';
import { parseNodeTypes, type NodeType } from './node-types.ts';

let read: readonly NodeType[] | undefined;

/** The file is read at the first call. */
export function listPrices(): readonly NodeType[] {
  const file = new URL('../../src/pricing/list-prices.csv', import.meta.url);
  read ??= parseNodeTypes(readFileSync(file, 'utf8'), 'list-prices.csv');
  return read;
}
