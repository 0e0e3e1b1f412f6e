/** Texts of rows that are kept, of those that files have: one table of rules, a column each. */
import type { Scratch } from '../../columnar/index.ts';
import type { CellTexts } from './cell-texts.ts';
import { type BillText, type SourceText } from './columns.ts';
import type { Meanings } from './meanings.ts';
import { chargeCategory } from './row-checks.ts';
import type { SourceColumns } from './source-columns.ts';
import { flatTags } from './tags.ts';

/** What is made of texts. */
const FORMS: Readonly<Record<Form, (text: string) => string | undefined>> = {
  category: chargeCategory,
  slug,
  tags: flatTags,
};

type Form = 'category' | 'slug' | 'tags';

/** A column of the file, and what is made of its texts. */
type Choice = SourceText | readonly [SourceText, Form];

/** Of each row the first counts that it has. */
export const TEXT_RULES: Readonly<Record<Exclude<BillText, 'usageUnit'>, readonly Choice[]>> = {
  accountID: ['SubAccountId'],
  accountName: ['SubAccountName', 'BillingAccountName'],
  availabilityZone: ['AvailabilityZone'],
  category: ['ServiceCategory'],
  chargeCategory: [['ChargeCategory', 'category']],
  costSource: ['ServiceCategory'],
  description: ['ChargeDescription'],
  domain: [
    ['ServiceProviderName', 'slug'],
    ['ProviderName', 'slug'],
  ],
  invoiceEntityID: ['BillingAccountId'],
  invoiceEntityName: ['BillingAccountName'],
  provider: ['ServiceProviderName', 'ProviderName'],
  providerID: ['ResourceId'],
  regionID: ['RegionId'],
  resourceName: ['ResourceName', 'ResourceId'],
  // A resource of no type is of its provider's.
  resourceType: ['ResourceType', ['ServiceProviderName', 'slug'], ['ProviderName', 'slug']],
  service: ['ServiceName'],
  tags: [['Tags', 'tags']],
};

/** Codes of kept texts, by source row; 0 where the row has none. Those of bad rows are any. */
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
    const meaning = meaningOf(columns.texts, form);
    for (let row = 0; row < codes.length; row++) {
      const code = meaning.of(cells[row] ?? 0);
      if (code > 0) codes[row] = code;
    }
  }
  return codes;
}

function meaningOf(texts: CellTexts, form: Form | undefined): Meanings {
  return form === undefined ? texts.same : texts.keptAs(form, FORMS[form]);
}

/** `Amazon Web Services` as `amazon-web-services`. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}.]+/gu, '-');
}
