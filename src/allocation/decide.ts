/**
 * The task that turns condensed facts into a ledger: reads the inventory, decides who lived when,
 * and lays the tables that usage is integrated over.
 */
import { records, type Block, type Engine, type Owner } from '../columnar/index.ts';
import type { FactName } from '../metrics/index.ts';
import { Inventory, type InventoryOptions, type Resource } from './inventory.ts';
import { containerLedger } from './containers.ts';
import { neededBytes, whatPasses, type Passing } from './fitting.ts';
import { layRows, type Ledger, type LedgerOptions } from './ledger.ts';
import { readFact } from './readers.ts';
import { storeMembers, type MembersAt } from './members.ts';
import { decideWorkloads, type WorkloadOptions } from './workloads.ts';

/** A ledger and who is in it. */
export interface Account {
  readonly ledger: Ledger<Resource>;
  readonly members: MembersAt;
}

export interface DecideInput {
  readonly owner: Owner;
  /** In the order in which sources are believed. */
  readonly facts: readonly { readonly fact: FactName; readonly blocks: readonly Block[] }[];
  /** Condensed usage of containers that the facts do not name: then only those are decided. */
  readonly strays: readonly Block[] | null;
  readonly inventory: InventoryOptions;
  readonly workloads: WorkloadOptions;
  readonly ledger: LedgerOptions;
  /** Bytes that the rows may take. */
  readonly budgetBytes: number;
}

export interface Decided {
  /** null when it would not fit the budget. */
  readonly account: Account | null;
  readonly workloads: number;
  readonly neededBytes: number;
  /** What would fit; null when this does. */
  readonly passing: Passing | null;
  readonly podsWithGaps: number;
  /** The earliest and latest sample of any pod; Infinity, -Infinity when there is none. */
  readonly firstMs: number;
  readonly lastMs: number;
}

export function decideInventory(engine: Engine, input: DecideInput): Decided {
  const { arena } = engine;
  const inventory = new Inventory(input.inventory);
  for (const { fact, blocks } of input.facts) {
    for (const record of records(arena, blocks)) readFact(inventory, fact, record);
  }
  for (const record of records(arena, input.strays ?? [])) inventory.addStray(record);
  const { list, podsWithGaps } = decideWorkloads(inventory, input.workloads);
  const workloads = input.strays ? list.filter((workload) => workload.isStray) : list;
  const { setsMs } = input.ledger;
  const bytes = neededBytes(workloads, setsMs);
  const fits = bytes <= input.budgetBytes;
  const told = {
    workloads: workloads.length,
    neededBytes: bytes,
    passing: fits ? null : whatPasses(workloads, setsMs, input.budgetBytes),
    podsWithGaps,
    firstMs: inventory.firstMs,
    lastMs: inventory.lastMs,
  };
  if (!fits) return { ...told, account: null };
  const layout = layRows(workloads, setsMs);
  const ledger = containerLedger(engine, input.owner, workloads, layout, {
    ...input.ledger,
    ...input.inventory,
  });
  const members = storeMembers(arena, input.owner, workloads, layout.ranges);
  return { ...told, account: { ledger, members } };
}
