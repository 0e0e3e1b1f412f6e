/** The bills beside the recorded answers: what the demo's machines cost, and what others charge. */
import { focusCsv, type FocusRow } from './stores/focus-rows.ts';

const DAY_MS = 86_400_000;
/** 2024-04-26T00:00:00Z */
const FIRST_MS = 1_714_089_600_000;
/** Up to 2024-05-03, the day that the answers are of. */
const DAYS = 8;

interface Item {
  readonly usd: number;
  readonly more: FocusRow;
}

const COMPUTE = { ServiceCategory: 'Compute', ServiceName: 'AmazonEC2', RegionId: 'us-east-1', AvailabilityZone: 'us-east-1a' }; // prettier-ignore
const BLOCK_STORAGE = { ...COMPUTE, ServiceCategory: 'Storage', ServiceName: 'AmazonEBS' };
const NODES = ['i-02e79ecbf789e64e9', 'i-043d46945dab45d15', 'i-063aa02613b32d275'];
const VOLUMES = ['vol-0097e8135686c8d95', 'vol-010399c51c918d66e'];

const CLOUD: readonly Item[] = [
  ...NODES.map((id, i) => ({ usd: 8 + i / 4, more: { ...COMPUTE, ResourceId: id, SubAccountId: 'main', SubAccountName: 'Main' } })),
  ...VOLUMES.map((id, i) => ({ usd: 0.5 + i / 8, more: { ...BLOCK_STORAGE, ResourceId: id, SubAccountId: 'main' } })),
  { usd: 2.4, more: { ...COMPUTE, ServiceName: 'AmazonEKS', ResourceId: 'production', SubAccountId: 'main' } },
  { usd: 3.25, more: { ServiceCategory: 'Storage', ServiceName: 'AmazonS3', ResourceId: 'reports', Tags: '{"team":"data-platform","env":"prod"}' } },
  { usd: 1.75, more: { ServiceCategory: 'Databases', ServiceName: 'AmazonRDS', ResourceId: 'orders,"main"', Tags: '{"team":"payments"}', SubAccountId: 'data' } },
  { usd: 0.75, more: { ServiceCategory: 'Networking', ServiceName: 'AmazonVPC', ResourceId: NODES[0] ?? '', SubAccountId: 'main' } },
  { usd: -0.5, more: { ServiceCategory: 'Other', ServiceName: 'Credits', ResourceId: '', ChargeCategory: 'Credit' } },
]; // prettier-ignore

const OBSERVED = { ServiceCategory: 'observability', ProviderName: 'datadog', ServiceName: 'Metrics', ConsumedUnit: 'hosts', ConsumedQuantity: '16', ListUnitPrice: '0.75', RegionId: 'eu' }; // prettier-ignore

const EXTERNAL: readonly Item[] = [
  { usd: 12, more: { ...OBSERVED, ResourceId: 'metrics', ResourceName: 'Metrics', ResourceType: 'hosts', Tags: '{"kubernetes_namespace":"web","team":"storefront"}' } },
  { usd: 4.5, more: { ...OBSERVED, ServiceName: 'Logs', ResourceId: 'logs', ChargeDescription: 'logs, "hot"', Tags: '{"kubernetes_cluster":"production","kubernetes_namespace":"payments","kubernetes_deployment":"checkout"}' } },
  { usd: 7.125, more: { ServiceCategory: 'AI', ProviderName: 'openai', ServiceName: 'Tokens', ResourceId: 'o', BillingAccountName: 'Research', Tags: '{"team":"machine-learning"}' } },
  { usd: 0, more: { ServiceCategory: 'AI', ProviderName: 'openai', ServiceName: 'Free', ResourceId: 'f', ListCost: '1.5', Tags: '{"kubernetes_label_app":"checkout"}' } },
]; // prettier-ignore

export function cloudBill(): string {
  return billOf(CLOUD);
}

export function externalBill(): string {
  return billOf(EXTERNAL);
}

/** Each item every day, a little dearer than the day before. */
function billOf(items: readonly Item[]): string {
  const days = Array.from({ length: DAYS }, (_, day) => day);
  return focusCsv(...days.flatMap((day) => items.map((item) => rowOf(item, day))));
}

function rowOf({ usd, more }: Item, day: number): FocusRow {
  const startMs = FIRST_MS + day * DAY_MS;
  const billed = usd * (1 + day / 16);
  const isApril = startMs < Date.UTC(2024, 4);
  return {
    BilledCost: String(billed),
    ContractedCost: String(billed),
    EffectiveCost: String(billed * 0.875),
    ListCost: String(billed * 1.25),
    BillingPeriodStart: isApril ? '2024-04-01T00:00:00Z' : '2024-05-01T00:00:00Z',
    BillingPeriodEnd: isApril ? '2024-05-01T00:00:00Z' : '2024-06-01T00:00:00Z',
    ChargePeriodStart: new Date(startMs).toISOString(),
    ChargePeriodEnd: new Date(startMs + DAY_MS).toISOString(),
    ...more,
  };
}
