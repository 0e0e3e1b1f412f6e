/** Pushed costs: the form of one, and the row of FOCUS that it becomes. */
import { NUMBERS_MAX, type SourceNumber } from '../focus/index.ts';
import { Fault, readTimestamp, shapeOf, type Shape, type Window } from '../../query/index.ts';

/** A line of a push, in the names of an item of the answers. Absent texts are empty. */
export interface PushedCost {
  /** RFC 3339: the cost is of [start, end). */
  readonly start: string;
  readonly end: string;
  /** USD. */
  readonly billedCost: number;
  /** USD; absent: the billed cost. */
  readonly listCost?: number | null;
  readonly list_unit_price?: number | null;
  readonly usage_quantity?: number | null;
  readonly usage_unit?: string | null;
  /** The provider that charges it. */
  readonly domain: string;
  readonly cost_source?: string | null;
  readonly zone?: string | null;
  readonly account_name?: string | null;
  readonly charge_category?: string | null;
  readonly description?: string | null;
  readonly resource_name?: string | null;
  readonly resource_type?: string | null;
  readonly provider_id?: string | null;
  readonly labels?: Readonly<Record<string, string>> | null;
}

const EXAMPLE =
  '{"start":"2024-05-01T00:00:00Z","end":"2024-05-02T00:00:00Z","domain":"datadog","billedCost":12.5}';
const TEXT = { type: 'string', nullable: true, maxLength: 65_536 } as const;
function amount(column: SourceNumber): { type: 'number'; minimum: number; maximum: number } {
  const most = NUMBERS_MAX[column];
  return { type: 'number', minimum: -most, maximum: most };
}

export const PUSHED_COST: Shape<PushedCost> = shapeOf<PushedCost>(
  {
    type: 'object',
    properties: {
      start: { type: 'string' },
      end: { type: 'string' },
      billedCost: amount('BilledCost'),
      listCost: { ...amount('ListCost'), nullable: true },
      list_unit_price: { ...amount('ListUnitPrice'), nullable: true },
      usage_quantity: { ...amount('ConsumedQuantity'), nullable: true },
      usage_unit: TEXT,
      domain: { type: 'string', minLength: 1, maxLength: 65_536 },
      cost_source: TEXT,
      zone: TEXT,
      account_name: TEXT,
      charge_category: {
        ...TEXT,
        pattern: '^([Uu]sage|[Pp]urchase|[Tt]ax|[Cc]redit|[Aa]djustment)$',
      },
      description: TEXT,
      resource_name: TEXT,
      resource_type: TEXT,
      provider_id: TEXT,
      labels: {
        type: 'object',
        nullable: true,
        required: [],
        additionalProperties: { type: 'string' },
      },
    },
    required: ['start', 'end', 'billedCost', 'domain'],
    additionalProperties: false,
  },
  EXAMPLE,
);

type Cell = string | number | null | undefined;

/** Columns of FOCUS, and the field of a cost in each. */
const COLUMNS: readonly (readonly [name: string, cell: (cost: PushedCost, period: Period) => Cell])[] = [
  ['BillingPeriodStart', (_, { start }) => start],
  ['BillingPeriodEnd', (_, { end }) => end],
  ['ChargePeriodStart', ({ start }) => start],
  ['ChargePeriodEnd', ({ end }) => end],
  ['BillingCurrency', () => 'USD'],
  ['BilledCost', ({ billedCost }) => billedCost],
  ['EffectiveCost', ({ billedCost }) => billedCost],
  ['ContractedCost', ({ billedCost }) => billedCost],
  ['ListCost', ({ billedCost, listCost }) => listCost ?? billedCost],
  ['ListUnitPrice', (cost) => cost.list_unit_price],
  ['ConsumedQuantity', (cost) => cost.usage_quantity ?? 0],
  ['ConsumedUnit', (cost) => cost.usage_unit],
  // Mandatory; left empty, as texts that a push lacks are not filled from it.
  ['ProviderName', () => ''],
  ['x_Domain', ({ domain }) => domain],
  ['ServiceCategory', (cost) => cost.cost_source],
  ['ServiceName', (cost) => cost.cost_source],
  ['AvailabilityZone', ({ zone }) => zone],
  ['BillingAccountId', (cost) => cost.account_name],
  ['BillingAccountName', (cost) => cost.account_name],
  ['ChargeCategory', (cost) => cost.charge_category ?? 'Usage'],
  ['ChargeDescription', ({ description }) => description],
  ['ResourceName', (cost) => cost.resource_name],
  ['ResourceType', (cost) => cost.resource_type],
  ['x_ProviderId', (cost) => cost.provider_id],
  ['Tags', ({ labels }) => (labels ? JSON.stringify(labels) : '')],
]; // prettier-ignore

interface Period {
  readonly start: string;
  readonly end: string;
}

/** The names of the columns, as the first line of a CSV. */
export const FOCUS_HEADER: string = COLUMNS.map(([name]) => name).join(',');

/**
 * One line of FOCUS.
 * @param what is read, for messages: `line 3`
 * @param window that the cost must lie in, which is the billing period
 * @throws {Fault} naming the line and the field
 */
export function focusLine(value: unknown, what: string, window: Window): string {
  const cost = PUSHED_COST(value, what);
  const startMs = instant(cost.start, 'start', what);
  const endMs = instant(cost.end, 'end', what);
  if (startMs >= endMs) throw wrong(what, 'end', 'is not after its start', 'a later time');
  if (startMs < window.startMs || endMs > window.endMs) {
    throw wrong(what, 'start', 'is of a time outside of the window', 'a window that holds it');
  }
  const [start = '', end = ''] = [window.startMs, window.endMs].map((ms) =>
    new Date(ms).toISOString(),
  );
  return COLUMNS.map(([, cell]) => quoted(cell(cost, { start, end }))).join(',');
}

function instant(text: string, field: string, what: string): number {
  const ms = readTimestamp(text);
  if (ms !== undefined) return ms;
  throw wrong(what, field, `is "${text.slice(0, 80)}"; it takes RFC 3339`, '2024-05-01T00:00:00Z');
}

function wrong(what: string, field: string, complaint: string, example: string): Fault {
  return new Fault(`'${field}' of ${what} ${complaint}`, {
    parameter: field,
    hint: `for example ${example}`,
  });
}

function quoted(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  return cell === null || cell === undefined ? '' : `"${cell.replaceAll('"', '""')}"`;
}
