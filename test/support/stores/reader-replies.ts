/** What the two readers of JSON get from a scripted store, and how to read with each. */
import {
  createQueryRange,
  createVictoriaExport,
  type Batch,
  type MetricsSource,
  type QueryRangeOptions,
} from '../../../src/metrics/index.ts';
import { LIMITS, RANGE, SELECTION } from './remote-reading.ts';

type Options = Partial<QueryRangeOptions>;
type Source = MetricsSource & { close(): Promise<void> };

export interface JsonReader {
  readonly name: 'victoria-export' | 'query-range';
  readonly product: string;
  create(url: string, options?: Options): Source;
  /** An answer with one series of two samples, and `samples` before them a second apart. */
  body(pod: string, samples?: number): string;
}

const T = RANGE.startMs;

function times(samples: number): number[] {
  const earlier = Array.from({ length: samples }, (_, i) => T - 1000 * (samples - i));
  return [...earlier, RANGE.endMs - 1, RANGE.endMs];
}

export const VICTORIA_EXPORT: JsonReader = {
  name: 'victoria-export',
  product: 'VictoriaMetrics',
  create: (url, options) => createVictoriaExport({ url, ...LIMITS, ...options }),
  body(pod, samples = 0) {
    const timestamps = times(samples);
    const values = timestamps.map((_, i) => i / 2);
    return `${JSON.stringify({ metric: { __name__: 'up', pod }, values, timestamps })}\n`;
  },
};

export const QUERY_RANGE: JsonReader = {
  name: 'query-range',
  product: 'Prometheus',
  create: (url, options) => createQueryRange({ url, ...LIMITS, ...options }),
  body(pod, samples = 0) {
    return matrix([rangeVector(pod, samples)]);
  },
};

export function rangeVector(pod: string, samples: number): unknown {
  const values = times(samples).map((ms, i) => [ms / 1000, String(i / 2)]);
  return { metric: { __name__: 'up', pod }, values };
}

export const JSON_READERS: readonly JsonReader[] = [VICTORIA_EXPORT, QUERY_RANGE];

/** A successful answer to an instant query on a range selector. */
export function matrix(result: readonly unknown[], more: object = {}): string {
  return JSON.stringify({ status: 'success', data: { resultType: 'matrix', result }, ...more });
}

export async function readWith(
  reader: JsonReader,
  url: string,
  options: Options = {},
  onWarning?: (warning: string) => void,
): Promise<Batch[]> {
  const source = reader.create(url, options);
  const batches: Batch[] = [];
  const { signal } = new AbortController();
  try {
    for await (const batch of source.read(SELECTION, RANGE, signal, onWarning)) batches.push(batch);
    return batches;
  } finally {
    await source.close();
  }
}
