/** The thread that reads blocks: lists, fetches, merges, and lays out batches, of several reads at once. */
import { parentPort, workerData } from 'node:worker_threads';
import { openBuckets } from '../../buckets/index.ts';
import { Fault, Unavailable } from '../../query/index.ts';
import { DamagedBlock, storedBatches } from '../../tsdb/index.ts';
import { Catalogues } from '../catalogue/catalogue.ts';
import { bucketSource } from '../places/bucket-source.ts';
import { folderSource } from '../places/folder-source.ts';
import type { RangeSource } from '../places/range-source.ts';
import { BlockHeaders } from '../reading/block-header.ts';
import { IndexWindows } from '../reading/index-windows.ts';
import { FetchGate, ofMany } from '../places/fetch-gate.ts';
import { readBlocks, type BlocksRead } from '../reading/read-blocks.ts';
import { BatchMemories, type BatchMemory } from './batch-memory.ts';
import type { Answer, Failure, Request, ThreadStart } from './messages.ts';

const FETCHES_AT_ONCE = 16;
/** Places of series that queries ask for again and again have so much of the room for headers. */
const WINDOWS_SHARE = 1 / 4;

/** Runs until its process ends it. */
export function runThread(): void {
  const port = parentPort;
  if (port === null) throw new Error('BUG: blocks are read in no thread of their own');
  const thread = new BlocksThread(workerData as ThreadStart, (message) =>
    port.postMessage(message),
  );
  port.on('message', (message: Request) => thread.take(message));
}

interface OpenRead {
  readonly batches: AsyncGenerator<Uint8Array, void>;
  readonly memory: BatchMemory;
  readonly stop: AbortController;
  readonly warnings: string[];
}

class BlocksThread {
  readonly #blocks: BlocksRead;
  readonly #totalTimeoutMs: number;
  readonly #answer: (message: Answer) => void;
  /** Until they are ended. */
  readonly #reads = new Map<number, OpenRead>();
  readonly #memories = new BatchMemories();

  constructor(start: ThreadStart, answer: (message: Answer) => void) {
    const { tenant, replicaLabels, headerBytes, aheadBytes, totalTimeoutMs } = start;
    const source = sourceOf(start);
    const gate = new FetchGate(FETCHES_AT_ONCE, aheadBytes);
    const elapsedMs = (): number => performance.now();
    const windowBytes = headerBytes * WINDOWS_SHARE;
    this.#blocks = {
      source,
      gate,
      catalogues: new Catalogues({ source, tenant, replicaLabels, gate, elapsedMs }),
      headers: new BlockHeaders({ source, tenant, gate, budgetBytes: headerBytes - windowBytes }),
      windows: new IndexWindows({ source, gate, budgetBytes: windowBytes }),
    };
    this.#totalTimeoutMs = totalTimeoutMs;
    this.#answer = answer;
  }

  take(message: Request): void {
    switch (message.kind) {
      case 'read':
        this.#begin(message);
        return void this.#next(message.id);
      case 'next':
        return void this.#next(message.id);
      case 'end':
        return this.#end(message.id);
      case 'times':
        void this.#times(message.id);
    }
  }

  #begin({ id, query, range, isChecked }: Extract<Request, { kind: 'read' }>): void {
    const stop = new AbortController();
    const late = AbortSignal.timeout(this.#totalTimeoutMs);
    const signal = ofMany(AbortSignal.any([stop.signal, late]));
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    const asked = { query, range, isChecked, signal, onWarning };
    const memory = this.#memories.begin();
    const batches = batchesOf(this.#blocks, asked, memory);
    this.#reads.set(id, { batches, memory, stop, warnings });
  }

  async #next(id: number): Promise<void> {
    const read = this.#reads.get(id);
    if (read === undefined) return;
    try {
      const { value: bytes } = await read.batches.next();
      const warnings = read.warnings.splice(0);
      this.#answer({ kind: 'batch', id, bytes: bytes ?? undefined, warnings });
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #end(id: number): void {
    const read = this.#reads.get(id);
    this.#reads.delete(id);
    if (read === undefined) return;
    read.stop.abort();
    const { batches, memory } = read;
    // What is under way fails, and nobody waits for it; until then it may write.
    const ended = (): void => this.#memories.end(memory);
    batches.return().then(ended, ended);
  }

  async #times(id: number): Promise<void> {
    try {
      const signal = AbortSignal.timeout(this.#totalTimeoutMs);
      const { startMs, reachMs } = await this.#blocks.catalogues.current(signal);
      this.#answer({ kind: 'times', id, times: { startMs, reachMs } });
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    const failure = failureOf(error, this.#blocks.source.name, this.#totalTimeoutMs);
    this.#answer({ kind: 'failed', id, failure });
  }
}

async function* batchesOf(
  blocks: BlocksRead,
  asked: Parameters<typeof readBlocks>[1],
  memory: BatchMemory,
): AsyncGenerator<Uint8Array, void> {
  for await (const series of readBlocks(blocks, asked))
    for (const { bytes } of storedBatches(series, (least) => memory.next(least))) yield bytes;
}

function sourceOf({ place, cloud }: ThreadStart): RangeSource {
  if (place.kind === 'folder') return folderSource(place.path);
  const bucket = openBuckets({ ...cloud, nowMs: Date.now })(place.place);
  return bucketSource(bucket, place.place.key);
}

const DAMAGED_HINT =
  'restore the block, or put a deletion-mark.json beside its meta.json: until then reads of its time fail';

function failureOf(error: unknown, name: string, timeoutMs: number): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'TimeoutError') {
    const late = `cannot read blocks of ${name}: the answer was not complete after ${timeoutMs} ms`;
    return { isFault: false, message: late, status: 504 };
  }
  if (error instanceof DamagedBlock)
    return { isFault: false, message, status: error.status, hint: DAMAGED_HINT };
  const isFault = error instanceof Fault;
  const hint = isFault || error instanceof Unavailable ? error.hint : undefined;
  const status = error instanceof Unavailable ? error.status : 503;
  return { isFault, message, status, ...(hint === undefined ? {} : { hint }) };
}
