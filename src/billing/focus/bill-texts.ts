/** Texts of stored rows, made of those of files: one table of rules, a column each. */
import type { Scratch } from '../../columnar/index.ts';
import type { CellTexts } from './cell-texts.ts';
import { type BillText, type SourceText } from './columns.ts';
import type { CodeValues } from './code-values.ts';
import { chargeCategory } from './row-checks.ts';
import type { SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';

/** Forms of stored texts. */
const FORMS: Readonly<Record<Form, (text: string) => string | undefined>> = {
  category: chargeCategory,
  slug,
  tags: flatTags,
};

type Form = 'category' | 'slug' | 'tags';

/** A column of the file, and the form of its texts. */
type Choice = SourceText | readonly [SourceText, Form];

/** Choices for each column: the first that a row has counts. */
export const TEXT_RULES: Readonly<Record<Exclude<BillText, 'usageUnit'>, readonly Choice[]>> = {
  accountID: ['SubAccountId'],
  accountName: ['SubAccountName', 'BillingAccountName'],
  availabilityZone: ['AvailabilityZone'],
  category: ['ServiceCategory'],
  chargeCategory: [['ChargeCategory', 'category']],
  costSource: ['ServiceCategory'],
  description: ['ChargeDescription'],
  domain: ['xDomain', ['ServiceProviderName', 'slug'], ['ProviderName', 'slug']],
  invoiceEntityID: ['BillingAccountId'],
  invoiceEntityName: ['BillingAccountName'],
  provider: ['ServiceProviderName', 'ProviderName'],
  providerID: ['xProviderId', 'ResourceId'],
  regionID: ['RegionId'],
  resourceName: ['ResourceName', 'ResourceId'],
  // A resource without a type has that of its provider.
  resourceType: ['ResourceType', ['ServiceProviderName', 'slug'], ['ProviderName', 'slug']],
  service: ['ServiceName'],
  tags: [['Tags', 'tags']],
};

/** Codes of stored texts, by source row; 0 where the row has none, any in bad rows. */
export function codesOf(
  scratch: Scratch,
  columns: SourceColumns,
  choices: readonly Choice[],
): Uint32Array {
  const codes = scratch.u32(columns.rows);
  // From the last choice to the first, each over the one before.
  for (const choice of choices.toReversed()) {
    const [name, form] = typeof choice === 'string' ? [choice] : choice;
    const cells = columns.codes(name);
    if (cells === undefined) continue;
    const values = valuesIn(columns.texts, form);
    for (let row = 0; row < codes.length; row++) {
      const code = values.of(cells[row] ?? 0);
      if (code > 0) codes[row] = code;
    }
  }
  return codes;
}

function valuesIn(texts: CellTexts, form: Form | undefined): CodeValues {
  return form === undefined ? texts.same : texts.storedAs(form, FORMS[form]);
}

/** `Amazon Web Services` as `amazon-web-services`. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}.]+/gu, '-');
}
