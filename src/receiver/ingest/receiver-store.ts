/**
 * The store of the receiver, in its own thread: takes requests in groups, a commit a group, and reads them.
 *
 *   logs/     what came for windows that still take samples     head.ts
 *   blocks/   what was cut, merged as it ages                   src/tsdb/folder
 *
 * A window is cut once no sample of its time is accepted any more. Where a crash leaves its log beside its
 * block, the two are read as one, and merged.
 */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, TimeRange } from '../../metrics/index.ts';
import { Unavailable } from '../../query/index.ts';
import type { ReceiverFigures, WriteOutcome, WriteVersion } from '../receiver.ts';
import {
  BlockFolder,
  chunkedBatches,
  storedBatches,
  type BlockFiles,
  type BlockQuery,
} from '../../tsdb/index.ts';
import { Head } from './head.ts';
import { readHead } from './head-reads.ts';
import { Intake, oldestAcceptedMs } from './intake.ts';
import type { Tally } from './tally.ts';
import { TokenBucket } from './token-bucket.ts';
import { Malformed } from './wire.ts';

export interface StoreOptions {
  readonly folder: string;
  readonly outOfOrderMs: number;
  readonly retentionMs: number;
  readonly maxSeries: number;
  readonly maxSamplesPerSecond: number;
}

export interface WriteRequest {
  readonly body: Uint8Array;
  readonly version: WriteVersion;
}

/** Series end when their windows are cut, every two hours. */
const NO_ROOM_RETRY_SECONDS = 60;

export class ReceiverStore {
  readonly #options: StoreOptions;
  readonly #head: Head;
  readonly #blocks: BlockFolder;
  readonly #intake: Intake;
  readonly #bucket: TokenBucket;
  readonly #refused = new Map<string, number>();
  #samples = 0;
  #commits = 0;
  #commitSeconds = 0;
  #failing: string | undefined;

  private constructor(options: StoreOptions, blocks: BlockFolder, nowMs: number) {
    this.#options = options;
    this.#blocks = blocks;
    this.#head = new Head(join(options.folder, 'logs'));
    this.#head.replay();
    this.#intake = new Intake(this.#head.table, options);
    this.#bucket = new TokenBucket(options.maxSamplesPerSecond, nowMs);
  }

  /** Reads what was stored before. @throws when it cannot be read */
  static async open(options: StoreOptions, nowMs: number): Promise<ReceiverStore> {
    const blocks = await BlockFolder.open(join(options.folder, 'blocks'));
    return new ReceiverStore(options, blocks, nowMs);
  }

  /** Stores the requests together: in one commit, or none of them. */
  write(requests: readonly WriteRequest[], nowMs: number): WriteOutcome[] {
    const read = requests.map((request) => this.#read(request, nowMs));
    const reason = this.#commit();
    return read.map((each, i) => {
      if (isOutcome(each)) return each;
      if (reason !== undefined) return { kind: 'unavailable', reason };
      return this.#count(each, requests[i]?.version ?? '1.0');
    });
  }

  /**
   * Batches, each made when it is asked for. Whoever decodes them finds what is damaged in a chunk.
   * @param memory for the next batch: at least so many bytes
   * @throws {Fault} for a matcher that does not compile
   */
  read(
    query: BlockQuery,
    range: TimeRange,
    memory?: (bytes: number) => Uint8Array,
  ): Generator<Batch, void> {
    const newer = readHead(this.#head, query, range);
    return storedBatches(this.#blocks.stored(query, range, newer), memory);
  }

  /** The same, slower: each chunk is checked, and an error names file and place of what is damaged. */
  readChecked(query: BlockQuery, range: TimeRange): Generator<Batch, void> {
    return chunkedBatches(this.#blocks.read(query, range, readHead(this.#head, query, range)));
  }

  /**
   * Cuts windows that take no samples any more, merges blocks, and drops what is too old.
   * @throws {Unavailable} when the disk refuses: all is as it was, and the next attempt begins there
   */
  async maintain(nowMs: number): Promise<void> {
    await this.#blocks.dropBefore(nowMs - this.#options.retentionMs);
    const oldestMs = oldestAcceptedMs(nowMs, this.#options.outOfOrderMs);
    for (const window of this.#head.windows.filter(({ endMs }) => endMs <= oldestMs)) {
      this.#head.retire(window);
      await this.#blocks.cut(window, this.#head.seriesIn(window));
      this.#head.remove(window);
    }
    await this.#blocks.merge();
  }

  /** What was stored and cannot be read, as sentences. */
  get damages(): string[] {
    const { damages } = this.#head;
    const ofLogs = `${damages} commits are lost: their rows have not the bytes that were written`;
    return [...(damages > 0 ? [ofLogs] : []), ...this.#blocks.damages.map(told)];
  }

  get figures(): ReceiverFigures {
    const { windows } = this.#head;
    const { blocks } = this.#blocks;
    const starts = [
      ...blocks.map(({ startMs }) => startMs),
      ...windows.map(({ oldestMs }) => oldestMs),
    ];
    const ends = [
      ...blocks.map(({ endMs }) => endMs - 1),
      ...windows.map(({ newestMs }) => newestMs),
    ];
    const [oldestMs, newestMs] = [Math.min(...starts), Math.max(...ends)];
    return {
      samples: this.#samples,
      refused: Object.fromEntries(this.#refused),
      series: this.#head.table.size,
      blocks: blocks.length,
      blockBytes: blocks.reduce((sum, { files }) => sum + bytesOf(files), 0),
      damagedBlocks: this.#blocks.damagedBlocks,
      logBytes: windows.reduce((sum, { log }) => sum + log.bytes, 0),
      commits: this.#commits,
      commitSeconds: this.#commitSeconds,
      oldestMs: Number.isFinite(oldestMs) ? oldestMs : undefined,
      newestMs: Number.isFinite(newestMs) ? newestMs : undefined,
      failing: this.#failing,
    };
  }

  close(): void {
    this.#head.close();
    this.#blocks.close();
  }

  #read({ body, version }: WriteRequest, nowMs: number): Tally | WriteOutcome {
    const waitSeconds = this.#bucket.waitSeconds(nowMs);
    if (waitSeconds > 0) {
      const reason = `more than ${this.#options.maxSamplesPerSecond} samples a second`;
      return { kind: 'busy', retryAfterSeconds: waitSeconds, reason };
    }
    try {
      const tally = this.#intake.add(body, version, nowMs);
      this.#bucket.spend(tally.all);
      return tally;
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      return { kind: 'malformed', reason: error.message };
    }
  }

  /** @returns why what is pending is not stored; undefined: it is */
  #commit(): string | undefined {
    if (this.#intake.pending.count === 0) return undefined;
    const beganMs = performance.now();
    try {
      this.#head.commit(this.#intake.pending);
      this.#failing = undefined;
    } catch (error) {
      // Series that began with them.
      this.#head.table.sweep();
      this.#failing = this.#whyNot(error);
    }
    this.#commits++;
    this.#commitSeconds += (performance.now() - beganMs) / 1000;
    return this.#failing;
  }

  #count(tally: Tally, version: WriteVersion): WriteOutcome {
    this.#samples += tally.samples;
    const more = [
      ...tally.refused,
      ['histogram', tally.histograms],
      ['exemplar', tally.exemplars],
    ] as const;
    for (const [name, count] of more)
      if (count > 0) this.#refused.set(name, (this.#refused.get(name) ?? 0) + count);
    return outcomeOf(tally, version);
  }

  #whyNot(error: unknown): string {
    const said = error instanceof Error ? error.message : String(error);
    return isFull(this.#options.folder)
      ? 'the disk is full: nothing is stored until there is room'
      : `cannot store samples: ${said}`;
  }
}

function isOutcome(read: Tally | WriteOutcome): read is WriteOutcome {
  return 'kind' in read;
}

function outcomeOf(tally: Tally, version: WriteVersion): WriteOutcome {
  const { samples, histograms, exemplars, withoutRoom } = tally;
  if (withoutRoom > 0) {
    const reason = `no room for further series: ${withoutRoom} samples of new ones are not stored`;
    return { kind: 'busy', retryAfterSeconds: NO_ROOM_RETRY_SECONDS, reason };
  }
  const reasons = tally.reasons;
  if (histograms > 0) reasons.push(`${histograms} native histograms, which are not stored`);
  // Senders of 1.0 know of no answer that says so, and take 400 for samples that are lost.
  if (exemplars > 0 && version === '2.0')
    reasons.push(`${exemplars} exemplars, which are not stored`);
  if (reasons.length > 0) return { kind: 'refused', samples, reasons };
  return { kind: 'stored', samples, histograms: 0, exemplars: 0 };
}

/** An error and what to do, as the log has it. */
export function told(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Unavailable ? error.hint : undefined;
  return hint === undefined ? message : `${message} (${hint})`;
}

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 1 << 20;
  } catch {
    return false;
  }
}

function bytesOf(files: BlockFiles | undefined): number {
  if (files === undefined) return 0;
  return files.chunks.reduce((sum, bytes) => sum + bytes, files.index);
}
