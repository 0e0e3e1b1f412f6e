/** What workers do to write answers: chunks of rows into slots. */
import type { Chunk, Engine } from '../../columnar/index.ts';
import type { TasksOf } from '../../pool/task.ts';
import { encodeSlot, type SetAt } from './set-at.ts';

export interface EncodeInput {
  readonly set: Omit<SetAt, 'holds'>;
  readonly row: number;
  readonly slot: { readonly address: number; readonly bytes: number };
}

export type FormatTasks = {
  encode: { input: EncodeInput; output: Chunk };
};

export function formatTasks(engine: Engine): TasksOf<FormatTasks> {
  return { encode: ({ set, row, slot }) => encodeSlot(engine, set, row, slot) };
}
