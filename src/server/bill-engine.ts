/** Workers that read bills and nothing else: they load a third of the code of the server's workers. */
import type { BillCompute, BillTasks } from '../billing/deliveries/index.ts';
import { Arena, compileKernels, createMemory, instantiateKernels, Owners } from '../columnar/index.ts'; // prettier-ignore
import type { Config } from '../settings/config.ts';
import { WORKER_BYTES } from '../settings/memory-budget.ts';
import { createPool } from '../pool/index.ts';

export interface BillEngine {
  readonly compute: BillCompute;
  close(): Promise<void>;
}

/**
 * Blocks leave little that lasts, and much beside the heap that goes only when the heap is looked
 * through: often, where there is little room for what is young.
 */
const YOUNG_BYTES = 16 * 2 ** 20;

/** Far from it V8 lets garbage grow to several times of what lives. */
const HEAP_BYTES = 512 * 2 ** 20;

/** @throws the error of a worker that cannot load */
export async function startBillEngine(config: Config): Promise<BillEngine> {
  const memory = createMemory(config.memory.arenaBytes, config.isMemoryChecked || undefined);
  const arena = new Arena(memory);
  const owners = new Owners(arena);
  const module = compileKernels();
  const pool = await createPool<BillTasks>({
    entry: new URL('../../workers/bills-entry.js', import.meta.url),
    threads: config.workers,
    heapBytes: HEAP_BYTES,
    ownBytes: WORKER_BYTES,
    youngBytes: YOUNG_BYTES,
    workerData: { memory, module, owner: owners.take() },
    // Its task fails with the error.
    onError: () => undefined,
  });
  return {
    compute: { arena, kernels: instantiateKernels(module, memory), owners, pool },
    close: () => pool.close(),
  };
}
