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

/** A text in which charges of the item differ is empty. */
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

/** Prices are never added up: one that all charges have, or else what a unit came to. */
function unitPrice(agreed: number | undefined, listCost: number, quantity: number): number {
  if (agreed !== undefined) return agreed;
  return quantity === 0 ? 0 : listCost / quantity;
}

/**
 * Ids that stay the same from answer to answer: of a group its name; of a single charge what is told
 * of it but its part in the window, and how many such charges came before.
 */
export class ItemIds {
  readonly #groups: ChargeGroups;
  readonly #ofCharges: ReadonlyMap<number, string> | null;

  /** @param charges groups of a single charge, in the order of their coming; null: none is */
  constructor(groups: ChargeGroups, charges: readonly number[] | null) {
    this.#groups = groups;
    this.#ofCharges = charges === null ? null : idsOfCharges(groups, charges);
  }

  of(group: number): string {
    return this.#ofCharges?.get(group) ?? hash([this.#groups.name(group)]);
  }
}

/** What an id takes of the heap, in both tables. */
const ID_BYTES = 150;

function idsOfCharges(groups: ChargeGroups, charges: readonly number[]): Map<number, string> {
  const { texts, numbers } = EXTERNAL_SCHEMA;
  const times = new Map<string, number>();
  return new Map(
    charges.map((group) => {
      const told = texts.map((name) => groups.text(name, group));
      const id = hash([...told, ...numbers.map((name) => groups.number(name, group))]);
      const time = (times.get(id) ?? 0) + 1;
      times.set(id, time);
      spendHeap(ID_BYTES);
      return [group, time === 1 ? id : `${id}-${time}`];
    }),
  );
}

function hash(told: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
}
