/**
 * Batches that wait to be sent, in order. With a folder each is a file of its own, so that a process that
 * is killed at any point finds all of them again, and none that was acknowledged:
 *
 *   <folder>/lock                        whose folder it is
 *   <folder>/000000000042-2000.batch     the 42nd batch, of 2000 samples
 *
 *   file   "PRB1" │ CRC-32 of the rest, u32le │ Request of remote write 2.0, snappy
 */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { Unavailable } from '../../query/index.ts';
import { DISK, lockFolder, writeWhole, type Lock } from '../../storage/index.ts';

export interface QueueLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface QueueOptions {
  /** Absent: batches are in memory alone. */
  readonly folder?: string | undefined;
  /** All files, or memory without a folder. */
  readonly limitBytes: number;
  readonly log: QueueLog;
}

export interface Batch {
  readonly sequence: number;
  readonly samples: number;
  /** Request of remote write 2.0, compressed. */
  readonly body: Buffer;
}

interface Waiting {
  readonly sequence: number;
  readonly samples: number;
  readonly bytes: number;
  /** Absent: in its file alone. */
  body: Buffer | undefined;
  isStored: boolean;
}

export interface QueueFigures {
  readonly batches: number;
  readonly bytes: number;
  readonly samples: number;
  readonly droppedSamples: number;
}

const MAGIC = Buffer.from('PRB1');
const HEAD_BYTES = 8;
const NAME = /^(\d{12})-(\d{1,6})\.batch$/;
/** What a small file takes of a disk. */
const BLOCK_BYTES = 4096;
/** Memory of batches that are also in files, for those that are sent at once. */
const MEMORY_BYTES_MAX = 4 * 1024 * 1024;
/** Memory of batches that are in no file though there is a folder, as where its disk is full. */
const UNSTORED_BYTES_MAX = 32 * 1024 * 1024;
/** A killed process's lock is free after 20 s where its process cannot be seen. */
const LOCK_WAIT_MS = 30_000;
const LOCK_PAUSE_MS = 1000;

/** @throws {Unavailable} where the folder cannot be used, or another process has it */
export async function openQueue(options: QueueOptions, signal: AbortSignal): Promise<BatchQueue> {
  const { folder } = options;
  if (folder === undefined) return new BatchQueue(options, [], undefined);
  try {
    await mkdir(folder, { recursive: true });
  } catch (cause) {
    const message = `cannot use the buffer ${folder}: ${messageOf(cause)}`;
    throw new Unavailable(message, { hint: 'choose another folder with --buffer', cause });
  }
  const lock = await lockInTime(folder, signal);
  const waiting: Waiting[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, sequence, samples] = NAME.exec(name) ?? [];
    if (sequence !== undefined) {
      const { size } = await stat(join(folder, name));
      waiting.push({
        sequence: Number(sequence),
        samples: Number(samples),
        bytes: onDisk(size),
        body: undefined,
        isStored: true,
      });
    } else if (name.includes('.batch.')) await DISK.remove(join(folder, name));
  }
  return new BatchQueue(options, waiting, lock);
}

async function lockInTime(folder: string, signal: AbortSignal): Promise<Lock> {
  const untilMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await lockFolder(folder, 'stop it, or choose another folder with --buffer');
    } catch (error) {
      if (performance.now() >= untilMs) throw error;
      await sleep(LOCK_PAUSE_MS, undefined, { signal });
    }
  }
}

export class BatchQueue {
  readonly #folder: string | undefined;
  readonly #limitBytes: number;
  readonly #log: QueueLog;
  readonly #lock: Lock | undefined;
  readonly #waiting: Waiting[];
  #next: number;
  #bytes: number;
  #droppedSamples = 0;
  #isDropping = false;
  #isUnstored = false;
  /** The one that is being sent, which is not dropped. */
  #first: Waiting | undefined;
  #filled: () => void = () => undefined;

  constructor(options: QueueOptions, waiting: readonly Waiting[], lock: Lock | undefined) {
    this.#folder = options.folder;
    this.#limitBytes = options.limitBytes;
    this.#log = options.log;
    this.#lock = lock;
    this.#waiting = [...waiting];
    this.#next = (waiting.at(-1)?.sequence ?? 0) + 1;
    this.#bytes = waiting.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  figures(): QueueFigures {
    return {
      batches: this.#waiting.length,
      bytes: this.#bytes,
      samples: this.#waiting.reduce((sum, { samples }) => sum + samples, 0),
      droppedSamples: this.#droppedSamples,
    };
  }

  /** Once it ends the batch survives this process, if there is a folder and its disk takes it. */
  async append(body: Buffer, samples: number): Promise<void> {
    const bytes = this.#folder === undefined ? body.length : onDisk(body.length + HEAD_BYTES);
    const batch: Waiting = { sequence: this.#next++, samples, bytes, body, isStored: false };
    if (this.#folder !== undefined) await this.#store(this.#folder, batch, body);
    this.#waiting.push(batch);
    this.#bytes += bytes;
    if (this.#folder !== undefined && batch.isStored) await this.#storeOthers(this.#folder);
    await this.#keepBounds();
    this.#filled();
  }

  /** The oldest batch; it stays until it is removed. Undefined: there is none. */
  async first(): Promise<Batch | undefined> {
    for (;;) {
      const batch = this.#waiting[0];
      if (batch === undefined) return undefined;
      this.#first = batch;
      const body = batch.body ?? (await this.#read(batch));
      if (body !== undefined) return { sequence: batch.sequence, samples: batch.samples, body };
      await this.#drop(batch);
    }
  }

  /** Resolves when there is a batch, or the signal is aborted. */
  async whenFilled(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#filled = end;
      signal.addEventListener('abort', end, { once: true });
    });
  }

  /** The oldest batch was sent, or was refused for good. */
  async remove({ sequence }: Batch): Promise<void> {
    const batch = this.#waiting[0];
    if (batch?.sequence === sequence) await this.#forget(batch);
  }

  async close(): Promise<void> {
    await this.#lock?.release();
  }

  async #store(folder: string, batch: Waiting, body: Buffer): Promise<void> {
    const head = Buffer.alloc(HEAD_BYTES);
    MAGIC.copy(head);
    head.writeUInt32LE(crc32(body), MAGIC.length);
    try {
      await writeWhole(DISK, pathOf(folder, batch), Buffer.concat([head, body]));
      await DISK.syncFolder(folder);
      batch.isStored = true;
      if (this.#isUnstored) this.#log.info({ folder }, 'the buffer takes batches again');
      this.#isUnstored = false;
    } catch (error) {
      if (!this.#isUnstored) {
        const message = `cannot write to the buffer, batches are in memory: ${messageOf(error)}`;
        this.#log.warn({ folder }, message);
      }
      this.#isUnstored = true;
    }
  }

  /** What the disk did not take while it was full, now that it takes batches. */
  async #storeOthers(folder: string): Promise<void> {
    for (const batch of this.#waiting.filter(({ isStored }) => !isStored)) {
      if (!this.#waiting.includes(batch) || batch.body === undefined) continue;
      await this.#store(folder, batch, batch.body);
      if (!batch.isStored) return;
      // It was sent meanwhile, when there was no file of it.
      if (!this.#waiting.includes(batch)) await this.#removeFile(folder, batch);
    }
  }

  async #read(batch: Waiting): Promise<Buffer | undefined> {
    const path = pathOf(this.#folder ?? '', batch);
    let why = 'it is damaged';
    try {
      const file = await readFile(path);
      const body = file.subarray(HEAD_BYTES);
      const isWhole = file.length > HEAD_BYTES && file.subarray(0, MAGIC.length).equals(MAGIC);
      if (isWhole && file.readUInt32LE(MAGIC.length) === crc32(body)) return body;
    } catch (error) {
      why = messageOf(error);
    }
    this.#log.warn({ path, samples: batch.samples }, `cannot read a batch of the buffer: ${why}`);
    return undefined;
  }

  /** Frees memory of stored batches, and drops the oldest beyond the limits. */
  async #keepBounds(): Promise<void> {
    let memoryBytes = 0;
    let unstoredBytes = 0;
    for (const batch of this.#waiting) {
      if (batch.body === undefined) continue;
      if (batch.isStored) {
        memoryBytes += batch.body.length;
        if (memoryBytes > MEMORY_BYTES_MAX) batch.body = undefined;
      } else if (this.#folder !== undefined) unstoredBytes += batch.body.length;
    }
    let isOver = false;
    while (this.#bytes > this.#limitBytes || unstoredBytes > UNSTORED_BYTES_MAX) {
      const isUnstored = unstoredBytes > UNSTORED_BYTES_MAX;
      const candidates = this.#waiting.filter((batch) => batch !== this.#first);
      const oldest = candidates.find((batch) => !isUnstored || !batch.isStored);
      if (oldest === undefined) break;
      isOver = true;
      if (!oldest.isStored) unstoredBytes -= oldest.body?.length ?? 0;
      if (!this.#isDropping) {
        const message = 'the buffer is full: its oldest batches are dropped until it is sent';
        this.#log.warn({ limitBytes: this.#limitBytes }, message);
      }
      this.#isDropping = true;
      await this.#drop(oldest);
    }
    if (!isOver && this.#bytes < this.#limitBytes / 2) this.#tellDropped();
  }

  #tellDropped(): void {
    if (!this.#isDropping) return;
    this.#isDropping = false;
    const fields = { samples: this.#droppedSamples };
    this.#log.info(fields, 'the buffer has room again; samples that were dropped so far');
  }

  async #drop(batch: Waiting): Promise<void> {
    this.#droppedSamples += batch.samples;
    await this.#forget(batch);
  }

  async #forget(batch: Waiting): Promise<void> {
    if (this.#first === batch) this.#first = undefined;
    const at = this.#waiting.indexOf(batch);
    if (at >= 0) this.#waiting.splice(at, 1);
    this.#bytes -= batch.bytes;
    if (batch.isStored && this.#folder !== undefined) await this.#removeFile(this.#folder, batch);
  }

  async #removeFile(folder: string, batch: Waiting): Promise<void> {
    await DISK.remove(pathOf(folder, batch)).catch((error: unknown) => {
      const message = `cannot remove a batch of the buffer: ${messageOf(error)}`;
      this.#log.warn({ batch: batch.sequence }, message);
    });
  }
}

function pathOf(folder: string, { sequence, samples }: Waiting): string {
  return join(folder, `${String(sequence).padStart(12, '0')}-${samples}.batch`);
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
