/** Filters of the cloud's bill. */
import { parseFilter, type Filter, type FilterField } from '../query/index.ts';

/** Names as the peers have them (core/pkg/filter/cloudcost). */
const CLOUD_FIELDS: readonly FilterField[] = [
  ...[
    'accountID',
    'accountName',
    'category',
    'invoiceEntityID',
    'invoiceEntityName',
    'provider',
    'providerID',
    'service',
    'regionID',
    'availabilityZone',
  ].map((name) => ({ name })),
  { name: 'label', isMap: true },
];

/** @returns null: everything @throws {Fault} naming the parameter, the character, what is accepted */
export function readCloudFilter(text: string, parameter: string): Filter | null {
  return parseFilter(text, { parameter, fields: CLOUD_FIELDS, example: 'service:"AmazonEC2"' });
}
