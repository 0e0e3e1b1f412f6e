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
  id: caseless,
  slug,
  tags: flatTags,
};

type Form = 'category' | 'id' | 'slug' | 'tags';

/** A column of the file, and the form of its texts. */
type Choice = SourceText | readonly [SourceText, Form];

/** Choices for each column: the first that a row has counts. */
export const TEXT_RULES: Readonly<
  Record<Exclude<BillText, 'providerID' | 'usageUnit'>, readonly Choice[]>
> = {
  accountID: [['SubAccountId', 'id']],
  accountName: ['SubAccountName', 'BillingAccountName'],
  availabilityZone: ['AvailabilityZone'],
  category: ['ServiceCategory'],
  chargeCategory: [['ChargeCategory', 'category']],
  costSource: ['ServiceCategory'],
  description: ['ChargeDescription'],
  domain: ['xDomain', ['ServiceProviderName', 'slug'], ['ProviderName', 'slug']],
  invoiceEntityID: [['BillingAccountId', 'id']],
  invoiceEntityName: ['BillingAccountName'],
  provider: ['ServiceProviderName', 'ProviderName'],
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

const SCALE_SET = /\/virtualmachinescalesets\/([^/]+)$/i;
const NUMBERED =
  /^(\/\/compute\.googleapis\.com\/projects\/)([^/]+)(\/(?:zones|regions)\/[^/]+\/(?:instances|disks)\/)\d+$/i;
/** Digits of the number in the host name of a machine of a scale set, base 36. */
const HOST_DIGITS = 6;

/**
 * Codes of the ids of resources, of several columns where a bill does not have the id of Kubernetes:
 *
 *   Azure bills a scale set, and names its machine in the details of the SKU:
 *     …/virtualMachineScaleSets/aks-a-1-vmss, {"VMName": "aks-a-1-vmss_0"}     …/aks-a-1-vmss/virtualmachines/0
 *   Google numbers machines and disks; the name of the resource is in another column:
 *     //compute.googleapis.com/projects/123/zones/Z/instances/456, NAME        …/projects/P/zones/Z/instances/NAME
 */
export function resourceIds(scratch: Scratch, columns: SourceColumns): Uint32Array {
  const codes = codesOf(scratch, columns, ['xProviderId', ['ResourceId', 'id']]);
  const { stored } = columns.texts;
  const machines = (['xSkuDetails', 'SkuPriceDetails'] as const).flatMap((name) => {
    const cells = columns.codes(name);
    return cells ? [{ cells, names: columns.texts.storedAs('machine', machineOf) }] : [];
  });
  const [names, projects] = [columns.codes('ResourceName'), columns.codes('SubAccountId')];
  const numbered = new Map<number, boolean>();
  const isNumbered = (code: number): boolean => {
    const known = numbered.get(code) ?? numberedResource(stored.text(code));
    numbered.set(code, known);
    return known;
  };
  const made = new Map<string, number>();
  const make = (row: number, parts: readonly number[], id: () => string): void => {
    const key = parts.join();
    const code = made.get(key) ?? stored.code(id());
    made.set(key, code);
    codes[row] = code;
  };
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    if (code === 0) continue;
    for (const { cells, names: machineNames } of machines) {
      const machine = machineNames.of(cells[row] ?? 0);
      if (machine > 0) {
        make(row, [code, machine], () => withMachine(stored.text(code), stored.text(machine)));
      }
    }
    if (names === undefined || !isNumbered(code)) continue;
    const [name, project] = [names[row] ?? 0, projects?.[row] ?? 0];
    make(row, [code, -name, project], () =>
      withName(stored.text(code), columns.texts.text(name), columns.texts.text(project)),
    );
  }
  return codes;
}

/** @param details JSON of a SKU @returns '' where they name no machine */
function machineOf(details: string): string {
  if (!/vmname/i.test(details)) return '';
  try {
    const parsed = Object(JSON.parse(details)) as Readonly<Record<string, unknown>>;
    const named = Object.entries(parsed).find(([key]) => /^(?:x_)?vmname$/i.test(key));
    return typeof named?.[1] === 'string' ? named[1].trim().toLowerCase() : '';
  } catch {
    return '';
  }
}

/** The id of a machine of a scale set; another id as it is. */
function withMachine(id: string, machine: string): string {
  const [, set = ''] = SCALE_SET.exec(id.toLowerCase()) ?? [];
  if (set === '' || !machine.startsWith(set)) return id;
  const rest = machine.slice(set.length);
  const isHost = rest.length === HOST_DIGITS && /^[0-9a-z]+$/.test(rest);
  const instance = isHost ? String(parseInt(rest, 36)) : (/^_([^/]+)$/.exec(rest)?.[1] ?? '');
  return instance === '' ? id : `${id}/virtualmachines/${instance}`;
}

/** Whether Google numbers the resource. */
function numberedResource(id: string): boolean {
  return NUMBERED.test(id);
}

/** @param project its id; it is used where the resource has the number of the project */
function withName(id: string, name: string, project: string): string {
  const [, before = '', own = '', place = ''] = NUMBERED.exec(id) ?? [];
  if (before === '' || !/^[a-z][-a-z0-9]*$/i.test(name)) return id;
  const isNumber = /^\d+$/.test(own) && /^[a-z][-a-z0-9:.]*$/i.test(project);
  return `${before}${isNumber ? project : own}${place}${name}`;
}

function valuesIn(texts: CellTexts, form: Form | undefined): CodeValues {
  return form === undefined ? texts.same : texts.storedAs(form, FORMS[form]);
}

/** Ids of Azure count in any case, and exports have several: they are stored in lower case. */
function caseless(text: string): string {
  return /^\/(?:subscriptions|providers\/microsoft\.)/i.test(text) ? text.toLowerCase() : text;
}

/** `Amazon Web Services` as `amazon-web-services`. */
function slug(text: string): string {
  return text
    .toLowerCase()
    .trim()
    .replace(/[^\p{L}\p{N}.]+/gu, '-');
}
