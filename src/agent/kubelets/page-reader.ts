/** Reads one page of a source again and again: samples of the series that are kept, and of those that ended. */
import { compileMatchers, type Selection } from '../../metrics/index.ts';
import type { Sample } from '../series.ts';
import { KeptSeries, SeriesFinder } from './kept-series.ts';
import { fixedLabels, LabelWriter } from './label-writer.ts';
import { PageFault, PageLines } from './page-lines.ts';
import { SampleLine } from './sample-line.ts';

/** One page, uncompressed: that of a node with 250 pods has 15 MiB. */
const PAGE_BYTES_MAX = 64 * 1024 * 1024;

/** Pages that are read at once take turns in this memory, as few are. */
const scratch: KeptSeries[] = [];
const SCRATCHES_MAX = 4;
const SCRATCH_BYTES_MAX = 1024 * 1024;
const NOTHING = new KeptSeries(0, 0);
/** One line is read at a time. */
const LINE = new SampleLine();

export interface ReadPage {
  /** Valid until the next page is begun. */
  readonly samples: readonly Sample[];
  /** Series that the page has now. */
  readonly series: number;
  /** Lines of wanted metrics that are no samples. */
  readonly malformed: number;
}

interface Wanted {
  readonly labels: readonly string[];
  readonly isKept: (labels: Readonly<Record<string, string>>) => boolean;
  readonly writer: LabelWriter;
}

export class PageReader {
  readonly #wanted: readonly Wanted[];
  readonly #lines: PageLines;
  #known = new KeptSeries(0, 0);
  #page = NOTHING;
  #bytes = 0;
  #malformed = 0;
  #isError = false;

  /**
   * @param selections of one metric each
   * @param added labels of all series
   * @param errors metrics that are not 0 where the source could not look at what it tells of
   */
  constructor(
    selections: readonly Selection[],
    added: Readonly<Record<string, string>>,
    errors: readonly string[] = [],
  ) {
    const fixed = fixedLabels(added);
    this.#wanted = selections.map(({ metric, matchers }) => ({
      labels: [...new Set(matchers.map(({ label }) => label))],
      isKept: compileMatchers(matchers),
      writer: new LabelWriter(metric, added, fixed),
    }));
    const names = selections.map(({ metric }) => metric);
    this.#lines = new PageLines([...names, ...errors], (...line) => this.#take(...line));
  }

  begin(): void {
    this.#page = scratch.pop() ?? new KeptSeries();
    this.#page.clear();
    this.#lines.reset();
    this.#bytes = 0;
    this.#malformed = 0;
    this.#isError = false;
  }

  /** @throws {PageFault} for a page that is too long, or has too many series */
  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > PAGE_BYTES_MAX) {
      throw new PageFault(`its page is longer than ${PAGE_BYTES_MAX / 1024 ** 2} MiB`);
    }
    this.#lines.push(chunk);
  }

  /** The page broke off: it counts as not read. */
  abandon(): void {
    this.#giveBack();
  }

  /**
   * @param readMs the time of samples without one, and of the ends of series
   * @param aheadMs how far the source's clock is ahead; its times are set back by this
   * @throws {PageFault} where the page says itself that it is not complete
   */
  end(readMs: number, aheadMs: number): ReadPage {
    this.#lines.end();
    if (this.#isError) throw new PageFault('it could not look at its containers');
    const [page, known] = [this.#page, this.#known];
    const finder = new SeriesFinder(known);
    const next = page.packed();
    const samples: Sample[] = [];
    for (let i = 0; i < page.count; i++) {
      const reported = page.times[i] ?? NaN;
      const hasTime = reported === reported;
      const at = finder.find(page, i);
      const lastMs = at < 0 ? -Infinity : (known.times[at] ?? NaN);
      // A source shows the same sample until it has a newer one.
      if (hasTime && reported <= lastMs) next.times[i] = lastMs;
      else {
        const timeMs = hasTime ? reported - aheadMs : readMs;
        samples.push({ labels: next.labelsOf(i), timeMs, value: page.values[i] ?? NaN });
      }
    }
    for (const at of finder.missing()) {
      samples.push({ labels: known.labelsOf(at), timeMs: readMs, value: undefined });
    }
    this.#known = next;
    this.#giveBack();
    return { samples, series: next.count, malformed: this.#malformed };
  }

  #giveBack(): void {
    const isReusable = this.#page !== NOTHING && this.#page.bytes.length <= SCRATCH_BYTES_MAX;
    if (isReusable && scratch.length < SCRATCHES_MAX) scratch.push(this.#page);
    this.#page = NOTHING;
  }

  #take(bytes: Buffer, from: number, to: number, metric: number): void {
    const line = LINE;
    if (!line.read(bytes, nameEnd(bytes, from), to)) return void this.#malformed++;
    const wanted = this.#wanted[metric];
    if (wanted === undefined) {
      this.#isError ||= line.value !== 0;
      return;
    }
    try {
      if (!this.#isKept(bytes, wanted)) return;
    } catch {
      return void this.#malformed++; // no UTF-8
    }
    const end = wanted.writer.write(bytes, line, this.#page);
    if (end < 0) this.#malformed++;
    else this.#page.add(end, line.timeMs, line.value);
  }

  #isKept(bytes: Buffer, { labels, isKept }: Wanted): boolean {
    const texts: Record<string, string> = {};
    for (const name of labels) texts[name] = LINE.text(bytes, name);
    return isKept(texts);
  }
}

function nameEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte === undefined || byte === 0x7b || byte === 0x20 || byte === 0x09) return at;
    at++;
  }
}
