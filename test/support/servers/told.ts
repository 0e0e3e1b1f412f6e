/** Servers over real stores that hold given series. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPrometheus } from '../stores/prometheus.ts';
import { startProrata, type Prorata } from './prorata.ts';
import { writeSeries } from '../stores/series-file.ts';
import { startVictoria } from '../stores/victoria.ts';

type Series = Parameters<typeof writeSeries>[1];

/** Each reader with the store it reads. */
export const READERS = [
  ['remote-read', 'Prometheus'],
  ['query-range', 'Prometheus'],
  ['victoria-export', 'VictoriaMetrics'],
] as const;

export type Reader = (typeof READERS)[number][0];

/** A server over a Prometheus. */
export interface Told {
  readonly prorata: Prorata;
  stop(): Promise<void>;
}

export async function startTold(series: Series): Promise<Told> {
  const prometheus = await withFile(series, (file) => startPrometheus({ blocksFrom: [file] }));
  const prorata = await startProrata(['--metrics-url', prometheus.url]);
  return {
    prorata,
    async stop() {
      await prorata.stop();
      await prometheus.stop();
    },
  };
}

/** A server for each reader. */
export interface ToldByReaders {
  by(reader: Reader): Prorata;
  stop(): Promise<void>;
}

/** @param flags of every server */
export async function startReaders(
  series: Series,
  flags: readonly string[] = [],
): Promise<ToldByReaders> {
  const [prometheus, victoria] = await withFile(series, (file) =>
    Promise.all([startPrometheus({ blocksFrom: [file] }), startVictoria([file])]),
  );
  const starting = READERS.map(async ([reader, store]): Promise<[Reader, Prorata]> => {
    const { url } = store === 'Prometheus' ? prometheus : victoria;
    const own = ['--metrics-url', url, '--metrics-reader', reader];
    return [reader, await startProrata([...own, ...flags])];
  });
  const running = new Map(await Promise.all(starting));
  return {
    by(reader) {
      const prorata = running.get(reader);
      if (prorata === undefined) throw new Error(`no server reads by ${reader}`);
      return prorata;
    },
    async stop() {
      for (const prorata of running.values()) await prorata.stop();
      await victoria.stop();
      await prometheus.stop();
    },
  };
}

async function withFile<T>(series: Series, start: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'prorata-told-'));
  try {
    const file = join(folder, 'series.om');
    await writeSeries(file, series);
    return await start(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
