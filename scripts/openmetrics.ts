/**
 * Writes series as OpenMetrics text (https://prometheus.io/docs/specs/om/open_metrics_spec/), to be
 * made into blocks by `promtool tsdb create-blocks-from openmetrics`. What promtool 2.42 was seen
 * to do with it:
 *
 * - without the closing `# EOF` it refuses the whole file; `close()` writes it;
 * - timestamps are decimal seconds, times 1000, cut to a whole number of milliseconds;
 * - samples out of order within a series are dropped without a word, and of two with one time the
 *   first stays; `series` refuses both. One series may be continued later in the file, and families
 *   may come in any order, though the standard forbids it;
 * - any name goes with any type: `x_total` as `unknown` or as `counter` is stored as `x_total`;
 * - NaN and infinities are kept, a stale marker (NaN 0x7ff0000000000002) cannot be written: a series
 *   that ends has no marker, as in a store that was restarted;
 * - a label with an empty value is dropped, as everywhere in Prometheus.
 */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

/** Unix milliseconds (whole) and value. */
export type Sample = readonly [timestampMs: number, value: number];

export type Labels = Readonly<Record<string, string>>;

export type FamilyType = 'gauge' | 'counter' | 'unknown';

export interface OpenMetricsWriter {
  /** Begins a metric; the series that follow are its. A counter's name ends in `_total`. */
  family(name: string, type: FamilyType, help?: string): void;
  /** One series, samples in strictly increasing time. Waits when the disk is slower than we are. */
  series(labels: Labels, samples: Iterable<Sample>): Promise<void>;
  /** Ends the file. @returns how many samples were written */
  close(): Promise<number>;
}

const FLUSH_CHARACTERS = 1 << 20;

/** @param file made anew @throws where the file cannot be written */
export function openMetricsWriter(file: string): OpenMetricsWriter {
  const stream = createWriteStream(file);
  let name = '';
  let text = '';
  let samplesWritten = 0;

  async function flush(): Promise<void> {
    const full = !stream.write(text);
    text = '';
    if (full) await once(stream, 'drain');
  }

  return {
    family(metric, type, help) {
      name = metric;
      text += head(metric, type, help);
    },
    async series(labels, samples) {
      const prefix = seriesName(name, labels);
      let previousMs = -Infinity;
      for (const [timestampMs, value] of samples) {
        if (timestampMs <= previousMs)
          throw new Error(`BUG: ${prefix} at ${timestampMs} ms comes after ${previousMs} ms`);
        previousMs = timestampMs;
        text += `${prefix} ${numberText(value)} ${secondsText(timestampMs)}\n`;
        samplesWritten++;
        if (text.length > FLUSH_CHARACTERS) await flush();
      }
    },
    async close() {
      text += '# EOF\n';
      await flush();
      stream.end();
      await finished(stream);
      return samplesWritten;
    },
  };
}

/** `name{label="value",…}`, with backslash, quote and line feed of the values escaped. */
export function seriesName(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return `${name}{${pairs.join(',')}}`;
}

/** Seconds whose product with 1000, cut, gives exactly the milliseconds. */
export function secondsText(timestampMs: number): string {
  const text = String(timestampMs / 1000);
  // Some products fall just below the whole number; half a millisecond more is cut again.
  return Math.trunc(Number(text) * 1000) === timestampMs
    ? text
    : `${(timestampMs / 1000).toFixed(3)}5`;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value)
    ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
    : value;
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function head(name: string, type: FamilyType, help: string | undefined): string {
  const metric = type === 'counter' ? name.replace(/_total$/, '') : name;
  const line = help === undefined ? '' : `# HELP ${metric} ${escaped(help)}\n`;
  return `# TYPE ${metric} ${type}\n${line}`;
}
