/** A thread of the CSV rows: writes ranges of rows through a slot of its own, to nowhere or a file. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, threadId, workerData } from 'node:worker_threads';
import { createEngine, writeRows, type Engine } from '../src/columnar/index.ts';
import { serve } from './crew.ts';

const OWNER = 1;
const SLOT_BYTES = 1 << 20;

/** Jobs: what is timed, and what is read back. */
export const TO_NOWHERE = 0;
export const TO_FILES = 1;

export interface CsvThreadData {
  readonly module: Parameters<typeof createEngine>[0];
  readonly memory: Engine['arena']['memory'];
  readonly program: number;
  readonly rows: number;
  /** Rows of one unit. */
  readonly unitRows: number;
  /** Where each thread adds to a file of its own. */
  readonly folder: string;
}

if (parentPort) {
  const data = workerData as CsvThreadData & { control: Int32Array };
  const { module, memory, program, rows, unitRows, folder, control } = data;
  const engine = createEngine(module, memory, OWNER);
  const { arena } = engine;
  const slot = { address: arena.allocate(SLOT_BYTES, OWNER), bytes: SLOT_BYTES };
  const nowhere = openSync('/dev/null', 'w');
  const write = (unit: number, target: number): void => {
    const to = Math.min(rows, (unit + 1) * unitRows);
    for (let row = unit * unitRows; row < to;) {
      const { bytes, nextRow } = writeRows(engine, program, { from: row, to }, slot);
      writeSync(target, arena.u8(slot.address, bytes));
      row = nextRow;
    }
  };
  parentPort.postMessage('ready');
  serve(
    control,
    () => Math.ceil(rows / unitRows),
    (job, unit) => {
      if (job === TO_NOWHERE) return write(unit, nowhere);
      const file = openSync(join(folder, `${threadId}.csv`), 'a');
      write(unit, file);
      closeSync(file);
    },
  );
}
