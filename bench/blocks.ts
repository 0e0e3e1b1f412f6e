/**
 * The on-demand query over blocks in a bucket and in a folder, beside the same over a real Prometheus that has the same
 * block, and beside the download of the bytes that were read of the bucket, without doing anything with them; and the
 * last two again over a link like that between a node and a cloud's bucket.
 */
import { join } from 'node:path';
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { startPrometheus } from '../test/support/stores/prometheus.ts';
import { serveBucket, type Link } from './block-bucket.ts';
import { cpuLine } from './cpu-line.ts';
import { Downloader } from './downloader.ts';
import { prepareStore } from './fleet-store.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { peakBytes } from './process-figures.ts';
import { queryTask } from './query-task.ts';
import { MARGIN_MS, WINDOW_START_MS, type FleetOptions } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** What S3 takes for small reads; and, unless `--mbits=N` says otherwise, a gigabit a second. */
const FIRST_BYTE_MS = 20;
const MBITS = 1000;
/** As many as are fetched of blocks at once. */
const FETCHES_AT_ONCE = 16;

export async function* blocksBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus');
  if (missing !== false) return options.note(`blocks is left out: ${missing}`);
  const size = options.isSmoke ? { containers: 50, hours: 1 } : { containers: 2000, hours: 24 };
  const fleet: FleetOptions = { ...size, intervalMs: MINUTE_MS, isFourOnly: false };
  const store = await prepareStore(fleet, options);
  const blocks = join(store.folder, 'data');
  const now = new Date(WINDOW_START_MS + fleet.hours * HOUR_MS + MARGIN_MS).toISOString();
  const bucket = await serveBucket(blocks);
  const link: Link = {
    firstByteMs: FIRST_BYTE_MS,
    bytesPerS: ((options.settings.mbits ?? MBITS) / 8) * 1e6,
  };
  const far = await serveBucket(blocks, link);
  const prometheus = await startPrometheus({ dataFolder: blocks });
  const env = (origin: string): string[] => [
    'env',
    `AWS_ENDPOINT_URL=${origin}`,
    'AWS_EC2_METADATA_DISABLED=true',
  ];
  const started = (url: string, origin = bucket.origin): Promise<Prorata> =>
    startProrata(['--now', now, '--metrics-url', url], env(origin));
  const reading = await started(prometheus.url);
  const ofFolder = await started(`file://${blocks}`);
  const ofBucket = await started('s3://metrics');
  const ofFar = await started('s3://metrics', far.origin);
  const downloader = new Downloader();
  const task = (name: string, prorata: Prorata): Task =>
    queryTask({ name, prorata, downloader, resolution: '1m', fleet, totals: store.totals });
  const overBucket = task('over blocks in a bucket', ofBucket);
  const overFar = task('over blocks in a bucket behind the link', ofFar);
  // Once for headers, which are kept, and once for what each query reads.
  for (let times = 0; times < 2; times++) {
    bucket.takeReads();
    far.takeReads();
    await overBucket.run();
    await overFar.run();
  }
  const [reads, farReads] = [bucket.takeReads(), far.takeReads()];
  const bytes = await downloader.run(reads);
  options.note(`a query reads ${(bytes / 1e6).toFixed(1)} MB of the bucket, in ${reads.length} requests`); // prettier-ignore
  const tasks: Task[] = [
    { name: 'bare download', run: () => downloader.run(reads), checksum: () => Promise.resolve(bytes) },
    overBucket,
    task('over blocks in a folder', ofFolder),
    task('over remote read', reading),
    { name: 'bare download behind the link', run: () => downloader.run(farReads, FETCHES_AT_ONCE), checksum: () => Promise.resolve(bytes) },
    overFar,
  ]; // prettier-ignore
  try {
    yield {
      title: `Blocks, ${fleet.containers} containers × ${fleet.hours} h at 60 s`,
      amount: fleet.containers * fleet.hours,
      unit: 'container-hours',
      isSlow: true,
      tasks,
    };
    const peaks = [ofBucket, ofFolder, reading].map(({ pid }) => (peakBytes(pid) / 1e6).toFixed(0));
    options.note(`peak resident size ${peaks.join(', ')} MB: bucket, folder, remote read`);
    const pids = [prometheus.pid, reading.pid, ofFolder.pid, ofBucket.pid, ofFar.pid];
    options.note(await cpuLine(tasks, pids, options));
  } finally {
    bucket.close();
    far.close();
    const ends = [downloader.close(), reading.stop(), ofFolder.stop(), ofBucket.stop(), ofFar.stop(), prometheus.stop()]; // prettier-ignore
    await Promise.all(ends);
  }
}
