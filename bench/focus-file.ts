/**
 * A FOCUS bill of a month as AWS exports it: an hour of a resource a row, 44 columns, in no order of
 * time. The same bytes on every run.
 */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { seededRandom } from './random.ts';

export interface FocusFile {
  readonly rows: number;
  /** Σ BilledCost, of whole cents of cents, so that it is exact. */
  readonly billedUsd: number;
}

const COLUMNS = [
  'AvailabilityZone',
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'CommitmentDiscountCategory',
  'CommitmentDiscountId',
  'CommitmentDiscountName',
  'CommitmentDiscountStatus',
  'CommitmentDiscountType',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'SkuId',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
  'x_Operation',
];
const START_MS = Date.UTC(2024, 8);
const HOURS = 720;
const HOUR_MS = 3_600_000;
const RESOURCES = 20_000;
const PIECE_BYTES = 1 << 20;
const SCALE = 1e8;

/** Written under another name first, so that a file of the name is whole. */
export async function writeFocusFile(path: string, bytesMin: number): Promise<FocusFile> {
  const random = seededRandom(7);
  const resources = Array.from({ length: RESOURCES }, (_, i) => resourceOf(i, random));
  const file = createWriteStream(`${path}.part`);
  let [rows, billed, bytes] = [0, 0, 0];
  let piece = `${COLUMNS.join(',')}\n`;
  while (bytes < bytesMin) {
    const resource = resources[Math.floor(random() * RESOURCES)];
    if (resource === undefined) continue;
    const units = Math.floor(random() * 1e7);
    billed += units;
    piece += rowOf(resource, units, Math.floor(random() * HOURS), random);
    rows++;
    if (piece.length < PIECE_BYTES && bytes + piece.length < bytesMin) continue;
    bytes += piece.length;
    if (!file.write(piece)) await once(file, 'drain');
    piece = '';
  }
  file.end();
  await once(file, 'close');
  await rename(`${path}.part`, path);
  return { rows, billedUsd: billed / SCALE };
}

interface Resource {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

const REGIONS = [
  ['us-east-1', 'US East (N. Virginia)'],
  ['us-west-2', 'US West (Oregon)'],
  ['eu-central-1', 'EU (Frankfurt)'],
  ['ap-northeast-1', 'Asia Pacific (Tokyo)'],
] as const;
const SERVICES = [
  ['Compute', 'Amazon Elastic Compute Cloud', 'Hours', 'instance', 'RunInstances'],
  ['Storage', 'Amazon Simple Storage Service', 'GB-Months', 'bucket', 'PutObject'],
  ['Networking', 'Elastic Load Balancing', 'LCU-Hours', 'loadbalancer', 'LoadBalancing'],
  ['Databases', 'Amazon Relational Database Service', 'Hours', 'db', 'CreateDBInstance'],
] as const;

function resourceOf(i: number, random: () => number): Resource {
  const hex = (): string =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  const [region, regionName] = REGIONS[i % REGIONS.length] ?? REGIONS[0];
  const [category, service, unit, type, operation] = SERVICES[(i % 7) & 3] ?? SERVICES[0];
  const account = 100_000_000_000 + (i % 70) * 1_234_567;
  const id = `arn:aws:ec2:${region}:${account}:${type}/i-${hex()}${hex()}`;
  const sku = `${hex().toUpperCase()}${hex().toUpperCase()}`;
  const tags = `{""application"": ""app-${i % 400}"", ""environment"": ""${i % 3 ? 'prod' : 'dev'}"", ""business_unit"": ""Unit ${i % 40}""}`;
  return {
    head: `${i % 3 === 0 ? '' : `${region}${'abc'[i % 3]}`}`,
    middle: `"$0.${i % 90}6 per ${unit} of ${service}, in ${regionName}",Usage-Based`,
    tail: `${unit},AWS,"Amazon Web Services, Inc.",${region},${regionName},${id},,${type},${category},${service},${sku},${sku}.JRTCKXETXF.${i % 9}YS6EN2CT7,${account},Account ${i % 70},${i % 4 ? `"${tags}"` : ''},${operation}\n`,
  };
}

function rowOf(resource: Resource, units: number, hour: number, random: () => number): string {
  const cost = (units / SCALE).toFixed(8);
  const quantity = (random() * 100).toFixed(10);
  const list = (units / SCALE / 0.9).toFixed(11);
  return (
    `${resource.head},${cost},999999999999,Payer,USD,2024-10-01T00:00:00Z,2024-09-01T00:00:00Z,Usage,,` +
    `${resource.middle},${timeOf(hour + 1)},${timeOf(hour)},,,,,,${quantity},${resource.tail.slice(0, resource.tail.indexOf(','))},` +
    `${cost},0.04,${cost},"Amazon Web Services, Inc.",${list},0.0444,Standard,${quantity},${resource.tail}`
  );
}

function timeOf(hour: number): string {
  return new Date(START_MS + hour * HOUR_MS).toISOString().replace('.000Z', 'Z');
}
