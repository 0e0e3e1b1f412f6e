/** The task that makes a table of rows that a store added up. */
import type { Arena, Owner, TableAddresses } from '../../columnar/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import { reducedTable, type ReducedPlan } from '../../storage/index.ts';

/** Groups of a set as its store told them, in the arena. */
export interface AddedUpInput {
  readonly address: number;
  readonly bytes: number;
  readonly plan: ReducedPlan;
  /** With more rows it is no gain. */
  readonly rowsMax: number;
  readonly owner: Owner;
}

export type AddedUpTasks = {
  /** null where they are not the rows that were stored, or too many. */
  addedUpTable: { input: AddedUpInput; output: TableAddresses | null };
};

export function addedUpTasks(arena: Arena): TasksOf<AddedUpTasks> {
  return {
    async addedUpTable({ address, bytes, plan, rowsMax, owner }) {
      const told = arena.u8(address, bytes);
      return (await reducedTable(arena, owner, told, plan, rowsMax)) ?? null;
    },
  };
}
