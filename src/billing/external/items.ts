/** Items of external cost, as clients of both ages read them. */
import { createHash } from 'node:crypto';
import { spendHeap } from '../../columnar/index.ts';
import { ZONE, type ChargeGroups } from '../charges/index.ts';
import { COST_OF, EXTERNAL_SCHEMA, type CostType } from './schema.ts';

export interface ExternalItem {
  readonly id: string;
  readonly zone: string;
  readonly account_name: string;
  readonly charge_category: string;
  readonly description: string;
  readonly resource_name: string;
  readonly resource_type: string;
  readonly provider_id: string;
  readonly billedCost: number;
  readonly listCost: number;
  readonly list_unit_price: number;
  readonly usage_quantity: number;
  readonly usage_unit: string;
  readonly domain: string;
  readonly cost_source: string;
  readonly aggregate: string;
  readonly cost: number;
  readonly cost_type: CostType;
}

/** The item of a group. A text in which its charges differ is empty. */
export function itemOf(
  groups: ChargeGroups,
  group: number,
  costType: CostType,
  id: string,
): ExternalItem {
  const text = (column: string): string => groups.text(column, group) ?? '';
  const listCost = groups.sum('listCost', group);
  const aggregate = groups.name(group);
  // Quantities of different units do not add up.
  const unit = groups.text('usageUnit', group);
  const quantity = unit === undefined ? 0 : groups.sum('usageQuantity', group);
  return {
    id,
    zone: text(ZONE),
    account_name: text('accountName'),
    charge_category: text('chargeCategory'),
    description: text('description'),
    resource_name: text('resourceName'),
    resource_type: text('resourceType'),
    provider_id: text('providerID'),
    billedCost: groups.sum('billedCost', group),
    listCost,
    list_unit_price: unitPrice(groups.number('listUnitPrice', group), listCost, quantity),
    usage_quantity: quantity,
    usage_unit: unit ?? '',
    domain: text('domain'),
    cost_source: text('costSource'),
    aggregate,
    cost: groups.sum(COST_OF[costType], group),
    cost_type: costType,
  };
}

/** Prices are never added up: the price that all charges have, or else the cost of a unit. */
function unitPrice(agreed: number | undefined, listCost: number, quantity: number): number {
  if (agreed !== undefined) return agreed;
  return quantity === 0 ? 0 : listCost / quantity;
}

/**
 * Ids that stay the same from answer to answer: for a group by its name; for a single charge by all its
 * texts and numbers but its share in the window, and by the number of equal charges before it.
 */
export class ItemIds {
  readonly #groups: ChargeGroups;
  readonly #ofCharges: ReadonlyMap<number, string> | null;

  /** @param charges groups of a single charge, in the order in which they were added; null: none is */
  constructor(groups: ChargeGroups, charges: readonly number[] | null) {
    this.#groups = groups;
    this.#ofCharges = charges === null ? null : idsOfCharges(groups, charges);
  }

  of(group: number): string {
    return this.#ofCharges?.get(group) ?? hash([this.#groups.name(group)]);
  }
}

/** Heap of an id, in both tables. */
const ID_BYTES = 150;

function idsOfCharges(groups: ChargeGroups, charges: readonly number[]): Map<number, string> {
  const { texts, numbers } = EXTERNAL_SCHEMA;
  const times = new Map<string, number>();
  return new Map(
    charges.map((group) => {
      const values = texts.map((name) => groups.text(name, group));
      const id = hash([...values, ...numbers.map((name) => groups.number(name, group))]);
      const time = (times.get(id) ?? 0) + 1;
      times.set(id, time);
      spendHeap(ID_BYTES);
      return [group, time === 1 ? id : `${id}-${time}`];
    }),
  );
}

function hash(values: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex').slice(0, 16);
}
