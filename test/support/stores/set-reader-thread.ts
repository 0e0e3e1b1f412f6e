/** A thread that reads sets as workers do: it waits for what is elsewhere. */
import { parentPort, workerData } from 'node:worker_threads';
import { Arena, type ArenaMemory, type Owner } from '../../../src/columnar/index.ts';
import { SetReader, type StoredSet } from '../../../src/storage/index.ts';

export interface ReadMessage {
  readonly id: number;
  readonly stored: StoredSet;
  readonly owner: Owner;
  readonly columns?: readonly string[];
}

const reader = new SetReader(new Arena((workerData as { memory: ArenaMemory }).memory));

parentPort?.on('message', ({ id, stored, owner, columns }: ReadMessage) => {
  try {
    const { addresses } = reader.read(stored, owner, columns);
    parentPort?.postMessage({ id, addresses });
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    parentPort?.postMessage({ id, failed: { name, message } });
  }
});
