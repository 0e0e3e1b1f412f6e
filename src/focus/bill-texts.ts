/** Texts of rows that are kept, of those that files have: one table of rules, a column each. */
import type { DictionaryBuilder, Scratch } from '../columnar/index.ts';
import { type BillText, type SourceText } from './columns.ts';
import { chargeCategory } from './row-checks.ts';
import { isNull, type SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';

/** A column of the file, and what is made of its texts. */
type Choice = SourceText | readonly [SourceText, (text: string) => string];

/** Of each row the first counts that it has. */
export const TEXT_RULES: Readonly<Record<Exclude<BillText, 'usageUnit'>, readonly Choice[]>> = {
  accountID: ['SubAccountId'],
  accountName: ['SubAccountName', 'BillingAccountName'],
  availabilityZone: ['AvailabilityZone'],
  category: ['ServiceCategory'],
  chargeCategory: [['ChargeCategory', (text) => chargeCategory(text) ?? text]],
  costSource: ['ServiceCategory'],
  description: ['ChargeDescription'],
  domain: [
    ['ServiceProviderName', slug],
    ['ProviderName', slug],
  ],
  invoiceEntityID: ['BillingAccountId'],
  invoiceEntityName: ['BillingAccountName'],
  provider: ['ServiceProviderName', 'ProviderName'],
  providerID: ['ResourceId'],
  regionID: ['RegionId'],
  resourceName: ['ResourceName', 'ResourceId'],
  // A resource of no type is of its provider's.
  resourceType: ['ResourceType', ['ServiceProviderName', slug], ['ProviderName', slug]],
  service: ['ServiceName'],
  tags: [['Tags', (text) => flatTags(text) ?? '']],
};

/** Codes of a column's texts, by source row; 0 where the row has none. */
export function codesOf(
  scratch: Scratch,
  columns: SourceColumns,
  choices: readonly Choice[],
  dictionary: DictionaryBuilder,
): Uint32Array {
  const codes = scratch.u32(columns.rows);
  // From the last choice to the first, each over the one before.
  for (const choice of choices.toReversed()) {
    const [name, as] = typeof choice === 'string' ? [choice, same] : choice;
    const source = columns.text(name);
    if (source === undefined) continue;
    const own = source.texts.map((text) => (isNull(text) ? 0 : dictionary.code(as(text))));
    for (let row = 0; row < codes.length; row++) {
      const code = own[source.codes[row] ?? 0] ?? 0;
      if (code !== 0) codes[row] = code;
    }
  }
  return codes;
}

function same(text: string): string {
  return text;
}

/** `Amazon Web Services` as `amazon-web-services`. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}.]+/gu, '-');
}
