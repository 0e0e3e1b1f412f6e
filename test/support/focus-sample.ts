/**
 * A bill of a thousand charges in the form that three providers publish FOCUS 1.0 in: texts in
 * quotes, NULL or '' for none, times without a zone, costs of eleven decimals, tags as JSON, and a
 * charge in the bill of another month. FOCUS_SAMPLE names a published bill, to be read beside it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Seeded } from '../../scripts/seeded.ts';
import { exactSum } from './references/exact-sum.ts';
import type { FocusRow } from './stores/focus-rows.ts';
import { readCsv } from './references/read-csv.ts';

export interface FocusSample {
  readonly what: string;
  readonly csv: string;
  readonly rows: readonly FocusRow[];
}

const [ROWS, HOUR_MS, DAY_MS] = [1000, 3_600_000, 86_400_000];
const NULL = 'NULL';
/** In 1e-11 USD: nothing, parts of a cent, dollars, credits. */
const COSTS = [0, 0, 80_000, 1_605_990, 500_000_000, 24_000_000_000, -289_000, -14_900_000_000];
const TAGS = [
  NULL,
  NULL,
  '{"application": "Shop", "environment": "dev", "business_unit": "Search, Maps"}',
  '{"env": "prod", "org": "a", " org": "b", "CostCenter": "1234", "test": ",NULL,NULL,"}',
  `{"env": "prod", "managed-by": "/subscriptions/5/resourceGroups/${'analytics/'.repeat(80)}"}`,
];

/** What differs by provider. */
interface Provider {
  readonly name: string;
  /** How a text that is not there is written. */
  readonly none: string;
  readonly issuers: readonly string[];
  readonly account: string;
  readonly accountName: string;
  /** How long a charge's period is. */
  readonly periodMs: number;
  readonly zones: readonly string[];
  readonly regions: readonly (readonly [id: string, name: string])[];
  readonly services: readonly (readonly [name: string, category: string, description: string])[];
}

const AWS: Provider = {
  name: 'AWS',
  none: NULL,
  issuers: ['Amazon Web Services, Inc.', 'Amazon Web Services EMEA SARL'],
  account: '1234567890123',
  accountName: 'Payer',
  periodMs: HOUR_MS,
  zones: [NULL, NULL, 'us-west-2b', 'us-east-1'],
  regions: [
    ['us-west-2', 'US West (Oregon)'],
    ['us-east-1', 'External'],
    ['eu-central-1', 'EU (Frankfurt)'],
  ],
  services: [
    ['Amazon Simple Queue Service', 'Integration', '$0.40 per million requests, US West (Oregon)'],
    ['Amazon Elastic Compute Cloud', 'Compute', '$0.085 per GB - next 40 TB / month'],
    ['Elastic Load Balancing', 'Networking', '$0.008 per used unit-hour (or partial hour)'],
  ],
};
const MICROSOFT: Provider = {
  name: 'Microsoft',
  none: NULL,
  issuers: ['Microsoft'],
  account: '/providers/Microsoft.Billing/billingAccounts/7',
  accountName: 'Payer',
  periodMs: DAY_MS,
  zones: ['0.02', '0.00182', '0.045'], // a price stands where the zone should
  regions: [
    ['eastus', 'East US'],
    ['westus2', 'West US 2'],
  ],
  services: [['Storage Accounts', 'Storage', 'Tiered Block Blob - LRS - List Operations']],
};
const ORACLE: Provider = {
  name: 'Oracle',
  none: '',
  issuers: ['Oracle'],
  account: '20209880',
  accountName: '',
  periodMs: HOUR_MS,
  zones: ['fjrQ:US-SANJOSE-1-AD-1', 'qqjL:PHX-AD-3'],
  regions: [[NULL, 'us-sanjose-1']],
  services: [['COMPUTE', 'Compute', 'Standard - E3 - Memory']],
};

/** Columns of which cells stand without quotes. */
const BARE = /^(Id|.*Cost|.*Quantity|ContractedUnitPrice)$/;

export const GENERATED: FocusSample = sampleOf('a generated bill', generate(new Seeded(1)));

/** The generated bill, and the published one where FOCUS_SAMPLE names it. */
export function focusSamples(): readonly FocusSample[] {
  const path = process.env['FOCUS_SAMPLE'];
  if (path === undefined) return [GENERATED];
  return [GENERATED, sampleOf('a published bill', readFileSync(path, 'utf8'))];
}

/** What the column's cells come to. */
export function exactTotal({ rows }: FocusSample, column: string): number {
  return exactSum(rows.map((row) => Number(row[column])));
}

/** @returns the path of the generated bill, which is written into the folder */
export function writeGenerated(folder: string): string {
  const path = join(folder, 'focus-sample.csv');
  writeFileSync(path, GENERATED.csv);
  return path;
}

function sampleOf(what: string, csv: string): FocusSample {
  const [names = [], ...lines] = readCsv(csv);
  const rows = lines.map((cells) =>
    Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])),
  );
  return { what, csv, rows };
}

function generate(random: Seeded): string {
  const rows = Array.from({ length: ROWS }, (_, i) =>
    chargeOf(i % 20 === 7 ? MICROSOFT : i % 140 === 9 ? ORACLE : AWS, i, random),
  );
  const header = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => header.map((name) => cellOf(name, row[name] ?? '')).join(','));
  return [header.map((name) => `"${name}"`).join(','), ...lines, ''].join('\n');
}

function cellOf(name: string, text: string): string {
  if (text === NULL || BARE.test(name)) return text;
  return `"${text.replaceAll('"', '""')}"`;
}

function chargeOf(provider: Provider, i: number, random: Seeded): FocusRow {
  const { none, periodMs } = provider;
  const startMs = Date.UTC(2024, 8, 1) + random.below((30 * DAY_MS) / periodMs) * periodMs;
  const [service, category, description] = random.of(provider.services);
  const [region, regionName] = random.of(provider.regions);
  const [cost, quantity] = [random.of(COSTS), random.below(1e9)];
  const isLate = i === 9;
  const sku = `SKU${random.below(200)}`;
  return {
    AvailabilityZone: random.of(provider.zones),
    BilledCost: decimals(cost, 11),
    BillingAccountId: provider.account,
    BillingAccountName: provider.accountName,
    BillingCurrency: 'USD',
    BillingPeriodEnd: isLate ? '2024-11-01 00:00:00' : '2024-10-01 00:00:00',
    BillingPeriodStart: isLate ? '2024-10-01 00:00:00' : '2024-09-01 00:00:00',
    ChargeCategory: cost < 0 && i % 3 === 0 ? 'Credit' : i % 300 === 9 ? 'Adjustment' : 'Usage',
    ChargeClass: NULL,
    ChargeDescription: description,
    ChargeFrequency: none === '' ? 'Usage-based' : 'Usage-Based',
    ChargePeriodEnd: timeOf(startMs + periodMs),
    ChargePeriodStart: timeOf(startMs),
    CommitmentDiscountCategory: none,
    CommitmentDiscountId: none,
    CommitmentDiscountName: none,
    CommitmentDiscountStatus: NULL,
    CommitmentDiscountType: none,
    ConsumedQuantity: i === 500 ? NULL : decimals(quantity * 100, 15),
    ConsumedUnit: i === 500 ? NULL : random.of(['GB', 'GB-Months', 'Hours', 'Requests']),
    ContractedCost: none === '' ? NULL : decimals(Math.round(cost / 10), 11),
    ContractedUnitPrice: none === '' ? NULL : decimals(random.below(1e11), 11),
    EffectiveCost: random.is(0.9) ? decimals(0, 11) : decimals(cost, 11),
    InvoiceIssuerName: random.of(provider.issuers),
    ListCost: decimals(none === '' ? 2 * cost : cost, 11),
    ListUnitPrice: i === 501 ? NULL : random.of(['0', '0.085', '0.0000004', '0.001500000000']),
    PricingCategory: none === '' ? '' : 'Standard',
    PricingQuantity: decimals(quantity, 11),
    PricingUnit: random.of(['GB', 'GB-Months', 'Hours', 'Requests']),
    ProviderName: provider.name,
    PublisherName: random.of(provider.issuers),
    RegionId: region,
    RegionName: regionName,
    ResourceId: random.is(0.08)
      ? NULL
      : `arn:aws:sqs:us-west-2:347410479675:i-${random.below(850)}`,
    ResourceName: none,
    ResourceType: random.of([NULL, NULL, 'volume', 'bucket', 'Storage account']),
    ServiceCategory: category,
    Id: String(11_472 + i),
    ServiceName: service,
    SkuId: sku,
    SkuPriceId: none === '' ? '' : `${sku}.JRTCKXETXF`,
    SubAccountId: String(51_738_928_700 + random.below(70)),
    SubAccountName: random.of(['Atlas Nimbus', 'Orion, Zenith', '青い雲']),
    Tags: random.of(TAGS),
  };
}

/** `-289000` of 11 places is `-0.00000289000`. */
function decimals(value: number, places: number): string {
  const digits = String(Math.abs(value)).padStart(places + 1, '0');
  return `${value < 0 ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** In UTC, as `2024-09-18 22:00:00`. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
