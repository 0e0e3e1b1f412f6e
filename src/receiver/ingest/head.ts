/**
 * The samples that no block holds yet: in memory as chunks, on the disk as logs.
 *
 *   commit   pending samples ─▶ a row in the log of each window, synced ─▶ chunks of the series
 *   start    rows of all logs ─▶ chunks of the series
 *   cut      chunks of a window ─▶ a block; its log is removed
 */
import { mkdirSync } from 'node:fs';
import type { BlockSeries } from '../../tsdb/index.ts';
import { newWindow, windowStart, type HeadWindow } from './head-window.ts';
import { hashOf, SeriesTable, type Series } from './series-table.ts';
import { EntryWriter, readRow } from './log-entries.ts';
import { Part } from './part.ts';
import type { Pending } from './pending.ts';
import { Samples } from './samples.ts';
import { findLogs, newLogPath, OpenLogs, WindowLog } from './window-log.ts';

/** A part of the series begins with this commit. */
interface NewPart {
  readonly series: Series;
  readonly part: Part;
}

export class Head {
  readonly table: SeriesTable = new SeriesTable();
  readonly #folder: string;
  readonly #open = new OpenLogs();
  readonly #all = new Set<HeadWindow>();
  /** By their start: those that take samples. */
  readonly #windows = new Map<number, HeadWindow>();
  readonly #entries = new EntryWriter();
  /** Rows of logs that are not as they were written: a part of what was acknowledged is lost. */
  damages: number = 0;

  /** @param folder of the logs; it is made */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get windows(): readonly HeadWindow[] {
    return [...this.#all].toSorted((a, b) => a.startMs - b.startMs);
  }

  /** Reads what the logs hold. @throws when one of them cannot be read */
  replay(): void {
    for (const { startMs, path } of findLogs(this.#folder)) this.#replayLog(startMs, path);
    for (const series of this.table.all()) series.seeParts();
  }

  /**
   * Stores the pending samples, which are none afterwards.
   * @throws when they may not be on the disk: those of one window may be stored, and the others are dropped
   */
  commit(pending: Pending): void {
    const windows = this.#windowsOf(pending);
    const failures: unknown[] = [];
    for (const window of new Set(windows)) {
      try {
        this.#commitWindow(pending, windows, window);
      } catch (error) {
        failures.push(error);
      }
    }
    const all = failures.length === 0 ? [] : new Set(pending.series);
    pending.clear();
    for (const series of all) series.seeParts();
    if (failures.length > 0) throw failures[0];
  }

  /** Takes a window out: what comes for its time from here on begins a new one. Its samples are still read. */
  retire(window: HeadWindow): void {
    if (this.#windows.get(window.startMs) === window) this.#windows.delete(window.startMs);
  }

  /** All series of a window in the order of a block. */
  seriesIn(window: HeadWindow): Iterable<BlockSeries> {
    const parts = this.table.inOrder().flatMap((series) => series.partIn(window) ?? []);
    return chunksOf(parts);
  }

  /** Forgets a retired window, and removes its log. */
  remove(window: HeadWindow): void {
    for (const series of this.table.all()) {
      if (!series.parts.some((part) => part.window === window)) continue;
      series.parts = series.parts.filter((part) => part.window !== window);
    }
    this.#all.delete(window);
    window.log.remove();
    this.table.sweep();
  }

  close(): void {
    this.#open.closeAll();
  }

  #windowsOf(pending: Pending): HeadWindow[] {
    const windows: HeadWindow[] = [];
    let window: HeadWindow | undefined;
    for (let i = 0; i < pending.count; i++) {
      const timeMs = pending.samples.times[i] ?? 0;
      if (window === undefined || timeMs < window.startMs || timeMs >= window.endMs)
        window = this.#windowAt(timeMs);
      windows.push(window);
    }
    return windows;
  }

  #windowAt(timeMs: number): HeadWindow {
    const startMs = windowStart(timeMs);
    const known = this.#windows.get(startMs);
    if (known !== undefined) return known;
    const log = new WindowLog(newLogPath(this.#folder, startMs), this.#open);
    return this.#addWindow(startMs, log);
  }

  #addWindow(startMs: number, log: WindowLog): HeadWindow {
    const window = newWindow(startMs, log);
    this.#all.add(window);
    this.#windows.set(startMs, window);
    return window;
  }

  #commitWindow(pending: Pending, windows: readonly HeadWindow[], window: HeadWindow): void {
    const { times, lows, highs } = pending.samples;
    const before = window.parts;
    const begun: NewPart[] = [];
    const parts: Part[] = [];
    this.#entries.begin(before);
    for (const [i, series] of pending.series.entries()) {
      if (windows[i] !== window) continue;
      let part = series.partIn(window);
      const isNew = part === undefined;
      if (part === undefined) {
        part = new Part(window, window.parts++, series.labels);
        begun.push({ series, part });
        addPart(series, part);
      }
      parts.push(part);
      const labels = isNew ? series.labels : undefined;
      this.#entries.add(part.ref, labels, times[i] ?? 0, lows[i] ?? 0, highs[i] ?? 0);
    }
    try {
      window.log.append(this.#entries.row());
    } catch (error) {
      window.parts = before;
      for (const { series, part } of begun)
        series.parts = series.parts.filter((each) => each !== part);
      throw error;
    }
    const late = new LateParts();
    let next = 0;
    for (const [i, each] of windows.entries()) {
      const part = each === window ? parts[next++] : undefined;
      if (part !== undefined) late.add(part, times[i] ?? 0, lows[i] ?? 0, highs[i] ?? 0);
    }
    late.insert();
  }

  #replayLog(startMs: number, path: string): void {
    const log = new WindowLog(path, this.#open);
    const window = this.#addWindow(startMs, log);
    const parts = new Map<number, Part>();
    const { damaged } = log.read((row) => {
      const late = new LateParts();
      readRow(row, {
        series: (ref, labels) => {
          const series = this.#seriesOf(labels);
          const part = new Part(window, ref, series.labels);
          addPart(series, part);
          parts.set(ref, part);
          window.parts = Math.max(window.parts, ref + 1);
        },
        sample: (ref, timeMs, low, high) => {
          const part = parts.get(ref);
          if (part === undefined) return; // its series began in a row that is damaged
          late.add(part, timeMs, low, high);
        },
      });
      late.insert();
    });
    this.damages += damaged;
    log.close();
  }

  #seriesOf(labels: Uint8Array): Series {
    const bytes = Buffer.from(labels.buffer, labels.byteOffset, labels.length);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const hash = hashOf(view, 0, bytes.length);
    return this.table.find(bytes, 0, bytes.length, hash) ?? this.table.add(labels, hash);
  }
}

/** Appends what is newer than its part, and gathers the rest. */
class LateParts {
  readonly #late = new Map<Part, Samples>();

  add(part: Part, timeMs: number, low: number, high: number): void {
    const { window } = part;
    if (timeMs < window.oldestMs) window.oldestMs = timeMs;
    if (timeMs > window.newestMs) window.newestMs = timeMs;
    if (timeMs > part.lastMs) {
      part.append(timeMs, low, high);
      return;
    }
    let samples = this.#late.get(part);
    if (samples === undefined) {
      samples = new Samples();
      this.#late.set(part, samples);
    }
    samples.push(timeMs, low, high);
  }

  insert(): void {
    for (const [part, samples] of this.#late) part.insert(samples.inOrder());
  }
}

function* chunksOf(parts: readonly Part[]): Generator<BlockSeries> {
  for (const part of parts) yield { labels: part.labels, chunks: part.chunks() };
}

function addPart(series: Series, part: Part): void {
  series.parts = [...series.parts, part].toSorted((a, b) => a.window.startMs - b.window.startMs);
}
