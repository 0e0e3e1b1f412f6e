/**
 * The same stored days in a folder, in a bucket (S3 over loopback, in the memory of this process), in ClickHouse and over two shards of it:
 * how fast they are copied there and what they take, the first answer of a server whose cache is empty with what it
 * reads, and the same question asked otherwise, unless `--first-only`. Each answer's total is that of the folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProrata, type Prorata } from '../test/support/servers/prorata.ts';
import { startCloud } from '../test/support/servers/scripted-cloud.ts';
import {
  CLICKHOUSE_MISSING,
  startClickHouse,
  startShards,
  type ClickHouseServer,
} from '../test/support/stores/clickhouse.ts';
import { s3Answer, s3Script, s3Variables } from '../test/support/stores/s3-script.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import { FIRST_DAY_MS, prepareDays, type DaysSize } from './stored-days.ts';
import { ask, flagsOf, totalOf, windowOf } from './stored.ts';

const QUESTIONS: readonly (readonly [name: string, query: string])[] = [
  ['by namespace', 'aggregate=namespace&accumulate=true'],
  // A filter leaves of idle what its rows would pay: that is asked of the rows, beside which sums are.
  ['by namespace, of the rows', 'aggregate=namespace&accumulate=true&filter=namespace!:"none"'],
  ['by label app', 'aggregate=label:app&accumulate=true&limit=20'],
  ['controllers of a namespace', 'aggregate=controller&accumulate=true&filter=namespace:"team-1"'],
];
const DAY_MS = 86_400_000;
const DAY = `window=${new Date(FIRST_DAY_MS).toISOString()},${new Date(FIRST_DAY_MS + DAY_MS).toISOString()}`;

type Ways = readonly (readonly [name: string, flags: readonly string[]])[];

const ALONE: Ways = [['', []]];

/** Where the days are. */
interface Place {
  readonly name: string;
  readonly flags: readonly string[];
  /** How it is asked the first time, and the flags of each way. */
  readonly ways: Ways;
  /** Variables that it needs, for `env`. */
  readonly env: readonly string[];
  /** What `copy` and `--store` take; undefined: the days are there. */
  readonly url: string | undefined;
  storedBytes(): Promise<number>;
  /** Since the last time; undefined where nobody counts. */
  takeRead(): { readonly bytes: number; readonly requests: number } | undefined;
  /** Servers that it has, the one of the URL first. */
  readonly pids: readonly number[];
  close(): Promise<void>;
}

export async function* placesBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const size = sizeOf(options);
  const folder = await prepareDays(size);
  const home = mkdtempSync(join(tmpdir(), 'prorata-bench-places-'));
  const places = [folderPlace(folder), await bucketPlace()];
  if (CLICKHOUSE_MISSING === false) places.push(await clickHousePlace(), await shardsPlace());
  else options.note(`ClickHouse is left out: ${CLICKHOUSE_MISSING}`);
  const servers: (readonly [Place, Prorata])[] = [];
  const [, now = ''] = flagsOf(folder, size).slice(2);
  const started = (place: Place, cache: string, flags: readonly string[] = []): Promise<Prorata> =>
    startProrata(
      [
        ...flags,
        ...place.flags,
        '--now',
        now,
        ...(place.url === undefined ? [] : ['--data-dir', cache]),
      ],
      ['env', ...place.env],
    );
  try {
    for (const place of places) {
      options.note(`${place.name}: ${await copied(folder, place, size)}`);
      for (const [name, query] of [...QUESTIONS, ['a day as CSV', '']] as const)
        for (const [way, flags] of query === '' ? ALONE : place.ways) {
          const fresh = await started(place, mkdtempSync(join(home, 'first-')), flags);
          const told = await first(fresh, place, size, query);
          options.note(`${place.name}${way}, first answer ${name}: ${told}`);
          await fresh.stop();
        }
    }
    if (options.settings['first-only']) return;
    for (const place of places) {
      const cache = mkdtempSync(join(home, 'all-'));
      servers.push([place, await started(place, cache)]);
    }
    for (const [name, query] of QUESTIONS)
      yield {
        title: `${size.days} × ${size.rows} rows ${name}, asked otherwise`,
        amount: (size.days * size.rows) / 1e6,
        unit: 'M rows',
        isSlow: true,
        tasks: servers.map(([place, server]) =>
          task(place.name, server, `${windowOf(size)}&${query}`),
        ),
      };
    for (const [place, { pid }] of servers)
      options.note(`${place.name}: peak resident size ${(peakBytes(pid) / 1e6).toFixed(0)} MB`);
  } finally {
    await Promise.all(servers.map(([, server]) => server.stop()));
    await Promise.all(places.map((place) => place.close()));
    rmSync(home, { recursive: true, force: true });
  }
}

function sizeOf({ isSmoke, settings }: BenchOptions): DaysSize {
  if (isSmoke) return { days: 2, rows: 1000 };
  return { days: settings.days ?? 10, rows: settings.rows ?? 50_000 };
}

function folderPlace(folder: string): Place {
  const sets = join(folder, 'sets');
  const sizes = readdirSync(sets).map((name) => statSync(join(sets, name)).size);
  return {
    name: 'folder',
    flags: ['--data-dir', folder],
    ways: ALONE,
    env: [],
    url: undefined,
    storedBytes: () => Promise.resolve(sizes.reduce((sum, each) => sum + each, 0)),
    takeRead: () => undefined,
    pids: [],
    close: () => Promise.resolve(),
  };
}

async function bucketPlace(): Promise<Place> {
  const script = { ...s3Script('costs'), pageKeys: 1000 };
  let read = { bytes: 0, requests: 0 };
  const cloud = await startCloud((request) => {
    const answer = s3Answer(script, request);
    cloud.requests.length = 0; // bodies of sets are in them
    read = { bytes: read.bytes + (answer.body?.length ?? 0), requests: read.requests + 1 };
    return answer;
  });
  const variables = Object.entries(s3Variables(cloud.origin));
  return {
    name: 'bucket',
    flags: ['--store', 's3://costs/'],
    ways: ALONE,
    env: variables.map(([name, value]) => `${name}=${value}`),
    url: 's3://costs/',
    storedBytes: () =>
      Promise.resolve(
        [...script.files.values()].reduce((sum, { content }) => sum + content.length, 0),
      ),
    takeRead() {
      const taken = read;
      read = { bytes: 0, requests: 0 };
      return taken;
    },
    pids: [],
    close: () => Promise.resolve(cloud.close()),
  };
}

async function clickHousePlace(): Promise<Place> {
  const server = await startClickHouse();
  const url = `${server.origin.replace('http:', 'clickhouse:').replace('//', '//default@')}/prorata`;
  return placeOfServers('ClickHouse', url, [server], () => server.stop());
}

async function shardsPlace(): Promise<Place> {
  const shards = await startShards();
  const { servers } = shards;
  return placeOfServers('ClickHouse, two shards', shards.url('prorata'), servers, () =>
    shards.stop(),
  );
}

function placeOfServers(
  name: string,
  url: string,
  servers: readonly ClickHouseServer[],
  close: () => Promise<void>,
): Place {
  const bytes = "SELECT sum(bytes_on_disk) FROM system.parts WHERE database = 'prorata' AND active";
  return {
    name,
    flags: ['--store', url],
    ways: [...ALONE, [' by its columns', ['--store-push=never']]],
    env: [],
    url,
    storedBytes: async () =>
      (await Promise.all(servers.map((server) => server.ask(bytes))))
        .map(Number)
        .reduce((sum, each) => sum + each, 0),
    takeRead: () => undefined,
    pids: servers.map(({ pid }) => pid),
    close,
  };
}

/** Milliseconds of each of its servers since `before`: `410 + 390`. */
function cpuSince(place: Place, before: readonly number[]): string {
  return place.pids.map((pid, i) => (cpuMs(pid) - (before[i] ?? 0)).toFixed(0)).join(' + ');
}

/** @returns what there is to tell of it */
async function copied(folder: string, place: Place, { days, rows }: DaysSize): Promise<string> {
  const perRow = async (): Promise<string> =>
    `${((await place.storedBytes()) / days / rows).toFixed(0)} B a row`;
  if (place.url === undefined) return perRow();
  const before = place.pids.map(cpuMs);
  const begunMs = performance.now();
  const command = ['src/prorata.js', 'copy', '--from', folder, '--to', place.url, '--quiet'];
  const args = [...place.env, process.execPath, ...command];
  const copy = spawn('env', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(copy, 'exit')) as [number];
  if (code !== 0) throw new Error(`prorata copy ended with ${code}`);
  const seconds = (performance.now() - begunMs) / 1000;
  const servers = place.pids.length > 1 ? 'each of its servers' : 'its server';
  const own = place.pids.length === 0 ? '' : `, ${cpuSince(place, before)} ms of CPU of ${servers}`;
  place.takeRead();
  return `copied, and read back, in ${seconds.toFixed(1)} s: ${((days * rows) / seconds).toFixed(0)} rows/s${own}; ${await perRow()}`;
}

/** @param query '': a day as CSV @returns what there is to tell of it */
async function first(
  prorata: Prorata,
  place: Place,
  size: DaysSize,
  query: string,
): Promise<string> {
  place.takeRead();
  const [own, before] = [cpuMs(prorata.pid), place.pids.map(cpuMs)];
  const begunMs = performance.now();
  const answered =
    query === ''
      ? `${((await downloaded(prorata)) / 1e6).toFixed(0)} MB`
      : `${totalOf(await ask(prorata, `${windowOf(size)}&${query}`))} USD`;
  const ms = performance.now() - begunMs;
  const asked =
    place.pids.length === 0 ? '' : ` of prorata, ${cpuSince(place, before)} of ClickHouse`;
  const cpu = `${(cpuMs(prorata.pid) - own).toFixed(0)}${asked}`;
  const read = place.takeRead();
  const days = query === '' ? 1 : size.days;
  const all = ((await place.storedBytes()) * days) / size.days;
  const share = read === undefined ? '' : `, ${read.requests} requests, ${(read.bytes / 1e6).toFixed(1)} MB, ${((100 * read.bytes) / all).toFixed(0)} % of those days`; // prettier-ignore
  return `${ms.toFixed(0)} ms, CPU in ms: ${cpu}${share}; ${answered}`;
}

/** A day as CSV, by plain HTTP: `fetch` would take longer than the server. @returns its bytes */
async function downloaded({ url }: Prorata): Promise<number> {
  const request = get(`${url}/model/allocation?${DAY}&format=csv`);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a day as CSV: ${response.statusCode}`);
  let bytes = 0;
  response.on('data', (part: Buffer) => (bytes += part.length));
  await once(response, 'end');
  return bytes;
}

/** So that no question is asked twice. */
let asked = 0;

function task(name: string, prorata: Prorata, query: string): Task {
  const isFiltered = query.includes('filter=');
  const otherwise = (): string => {
    const more = `node!:"none-${++asked}"`;
    return isFiltered ? `${query}%2B${more}` : `${query}&filter=${more}`;
  };
  return {
    name,
    run: async () => void (await ask(prorata, otherwise())).length,
    checksum: async () => totalOf(await ask(prorata, otherwise())),
  };
}
