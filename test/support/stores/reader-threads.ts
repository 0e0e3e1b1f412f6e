/** Threads that read sets as workers do, and what they wish for. */
import type { Worker } from 'node:worker_threads';
import type { Arena, TableAddresses } from '../../../src/columnar/index.ts';
import type { FromWorkers } from '../../../src/storage/remote/provider.ts';
import { typescriptWorker } from '../servers/typescript-worker.ts';
import type { ReadMessage } from './set-reader-thread.ts';
import type { ReadElsewhere } from './sets-suite.ts';

interface Reply {
  readonly id?: number;
  readonly addresses?: TableAddresses;
  readonly failed?: { readonly name: string; readonly message: string };
}

export interface ReaderThreads {
  readonly fromWorkers: FromWorkers;
  /** Reads on a thread of the arena. @throws an error with the name and message of the thread's */
  readonly read: ReadElsewhere;
  stop(): Promise<void>;
}

export function readerThreads(): ReaderThreads {
  const listeners = new Set<(message: unknown) => void>();
  const threads = new Map<Arena, Worker>();
  let reads = 0;
  const threadOf = (arena: Arena): Worker => {
    const known = threads.get(arena);
    if (known !== undefined) return known;
    const entry = new URL('./set-reader-thread.ts', import.meta.url);
    const thread = typescriptWorker(entry, { memory: arena.memory });
    thread.on('message', (message) => listeners.forEach((listener) => listener(message)));
    threads.set(arena, thread);
    return thread;
  };
  return {
    fromWorkers(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: (arena, stored, owner, columns) =>
      new Promise((resolve, reject) => {
        const [thread, id] = [threadOf(arena), ++reads];
        const take = (reply: Reply): void => {
          if (reply.id !== id) return;
          thread.off('message', take);
          if (reply.addresses !== undefined) resolve(reply.addresses);
          else reject(Object.assign(new Error(), reply.failed));
        };
        thread.on('message', take);
        const wanted = columns === undefined ? {} : { columns };
        const message: ReadMessage = { id, stored, owner, ...wanted };
        thread.postMessage(message);
      }),
    async stop() {
      for (const thread of threads.values()) await thread.terminate();
    },
  };
}
