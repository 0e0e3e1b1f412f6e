/**
 * The store of the receiver, in its own thread: takes requests in groups, a commit a group, and reads them.
 */
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Selection, TimeRange, Together } from '../../metrics/index.ts';
import type { ReceiverFigures, WriteOutcome, WriteVersion } from '../receiver.ts';
import type { BlockSeries } from '../blocks/series.ts';
import { Head } from './head.ts';
import { readHead } from './head-reads.ts';
import { Intake } from './intake.ts';
import { FrameWriter } from './read-frames.ts';
import type { Tally } from './tally.ts';
import { TokenBucket } from './token-bucket.ts';
import { Malformed } from './wire.ts';

export interface StoreOptions {
  readonly folder: string;
  readonly outOfOrderMs: number;
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
  readonly #intake: Intake;
  readonly #bucket: TokenBucket;
  readonly #refused = new Map<string, number>();
  #samples = 0;
  #commits = 0;
  #commitSeconds = 0;
  #failing: string | undefined;

  /** Reads what was stored before. @throws when it cannot be read */
  constructor(options: StoreOptions, nowMs: number) {
    this.#options = options;
    this.#head = new Head(join(options.folder, 'logs'));
    this.#head.replay();
    this.#intake = new Intake(this.#head.table, options);
    this.#bucket = new TokenBucket(options.maxSamplesPerSecond, nowMs);
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

  /** Batches of frames, each made when it is asked for. @throws {Fault} for a matcher that does not compile */
  read(what: Selection | Together, range: TimeRange): Generator<Uint8Array<ArrayBuffer>> {
    const series = readHead(this.#head, what, range);
    return batches(series);
  }

  get figures(): ReceiverFigures {
    const { windows } = this.#head;
    const times = windows.filter(({ oldestMs }) => oldestMs !== Infinity);
    return {
      samples: this.#samples,
      refused: Object.fromEntries(this.#refused),
      series: this.#head.table.size,
      blocks: 0,
      blockBytes: 0,
      logBytes: windows.reduce((sum, { log }) => sum + log.bytes, 0),
      commits: this.#commits,
      commitSeconds: this.#commitSeconds,
      oldestMs: times[0]?.oldestMs,
      newestMs: times.at(-1)?.newestMs,
      failing: this.#failing,
    };
  }

  close(): void {
    this.#head.close();
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

function isFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < 1 << 20;
  } catch {
    return false;
  }
}

function* batches(series: Iterable<BlockSeries>): Generator<Uint8Array<ArrayBuffer>> {
  const frames = new FrameWriter();
  for (const { labels, chunks } of series) yield* frames.add(labels, chunks);
  if (!frames.isEmpty) yield frames.take();
}
