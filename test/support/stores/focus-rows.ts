/** Bills of a few rows, as files have them. */
export type FocusRow = Readonly<Record<string, string>>;

/** A charge of an hour on 2024-09-18. */
export const FOCUS_ROW: FocusRow = {
  BilledCost: '1.5',
  BillingAccountId: 'payer',
  BillingAccountName: 'Payer',
  BillingCurrency: 'USD',
  BillingPeriodEnd: '2024-10-01T00:00:00Z',
  BillingPeriodStart: '2024-09-01T00:00:00Z',
  ChargeCategory: 'Usage',
  ChargePeriodEnd: '2024-09-18T23:00:00Z',
  ChargePeriodStart: '2024-09-18T22:00:00Z',
  ContractedCost: '1.75',
  EffectiveCost: '1.25',
  ListCost: '2',
  ProviderName: 'AWS',
  ResourceId: 'i-1',
  ServiceCategory: 'Compute',
  ServiceName: 'EC2',
  Tags: '',
};

/** @param changes a row each; every column that any row has is in the header */
export function focusCsv(...changes: readonly FocusRow[]): string {
  const rows = changes.map((change) => ({ ...FOCUS_ROW, ...change }));
  const header = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = rows.map((row: FocusRow) =>
    header.map((name) => cellOf(row[name] ?? '')).join(','),
  );
  return [header.join(','), ...lines, ''].join('\n');
}

export function cellOf(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
