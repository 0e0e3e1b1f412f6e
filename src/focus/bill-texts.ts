/** Texts of rows that are kept, of those that files have: one table of rules, a column each. */
import type { DictionaryBuilder, Scratch } from '../columnar/index.ts';
import { type BillText, type SourceText } from './columns.ts';
import { chargeCategory } from './row-checks.ts';
import { isNull, type SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';

interface TextRule {
  /** The first that a row has counts. */
  readonly from: readonly SourceText[];
  readonly as?: (text: string) => string;
}

export const TEXT_RULES: Readonly<Record<Exclude<BillText, 'usageUnit'>, TextRule>> = {
  accountID: { from: ['SubAccountId'] },
  accountName: { from: ['SubAccountName', 'BillingAccountName'] },
  availabilityZone: { from: ['AvailabilityZone'] },
  category: { from: ['ServiceCategory'] },
  chargeCategory: { from: ['ChargeCategory'], as: (text) => chargeCategory(text) ?? text },
  costSource: { from: ['ServiceCategory'] },
  description: { from: ['ChargeDescription'] },
  domain: { from: ['ServiceProviderName', 'ProviderName'], as: slug },
  invoiceEntityID: { from: ['BillingAccountId'] },
  invoiceEntityName: { from: ['BillingAccountName'] },
  provider: { from: ['ServiceProviderName', 'ProviderName'] },
  providerID: { from: ['ResourceId'] },
  regionID: { from: ['RegionId'] },
  resourceName: { from: ['ResourceName', 'ResourceId'] },
  resourceType: { from: ['ResourceType'] },
  service: { from: ['ServiceName'] },
  tags: { from: ['Tags'], as: flatTags },
};

/** Codes of a column's texts, by source row; 0 where the row has none. */
export function codesOf(
  scratch: Scratch,
  columns: SourceColumns,
  { from, as = same }: TextRule,
  dictionary: DictionaryBuilder,
): Uint32Array {
  const codes = scratch.u32(columns.rows);
  // From the last choice to the first, each over the one before.
  for (const name of from.toReversed()) {
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
