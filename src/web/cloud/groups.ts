/** What charges can be grouped by, in words. */
import { choicesOf, type Choice } from '../parts/select.tsx';

export const CLOUD_GROUPS: readonly Choice[] = choicesOf({
  service: 'service',
  category: 'category',
  accountName: 'account',
  invoiceEntityName: 'payer',
  provider: 'provider',
  regionID: 'region',
  providerID: 'resource',
});
export const EXTERNAL_GROUPS: readonly Choice[] = choicesOf({
  domain: 'domain',
  accountName: 'account',
  costSource: 'service',
  resourceType: 'type of resource',
  resourceName: 'resource',
  zone: 'zone',
});

export function groupWord(groups: readonly Choice[], group: string): string {
  return groups.find(({ value }) => value === group)?.says ?? group;
}
