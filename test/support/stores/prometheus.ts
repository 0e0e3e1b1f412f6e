/**
 * A real Prometheus for a test: its own folder and loopback port, nothing scraped, remote read on
 * (its default), gone with all its files when the test ends or dies.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBlocks } from '../../../scripts/prometheus-blocks.ts';
import { findBinary } from '../servers/services.ts';

export interface PrometheusOptions {
  /** A folder with blocks that stays when the server stops; otherwise a folder of its own. */
  readonly dataFolder?: string;
  /** OpenMetrics files made into blocks first. */
  readonly blocksFrom?: readonly string[];
  readonly retention?: string;
  /** Further flags, such as `--storage.remote.read-sample-limit=1000`. */
  readonly flags?: readonly string[];
  /** A folder in which files `*.json` name targets, scraped each second as OpenCost is. */
  readonly targetsFolder?: string;
  /** Where what is scraped is sent, but for what Prometheus says of its scrapes. */
  readonly remoteWriteUrl?: string;
}

export interface Prometheus {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** The process's. */
  readonly pid: number;
  /** Where the blocks are. */
  readonly folder: string;
  /** Ends the process and removes what it made. May be called again. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/** @throws when the program is missing, does not become ready, or a file cannot be loaded */
export async function startPrometheus(options: PrometheusOptions = {}): Promise<Prometheus> {
  const home = await mkdtemp(join(tmpdir(), 'prorata-prometheus-'));
  const removeHome = (): void => rmSync(home, { recursive: true, force: true });
  process.once('exit', removeHome);
  exitOnSignals();
  const folder = options.dataFolder ?? join(home, 'data');
  try {
    for (const file of options.blocksFrom ?? []) await createBlocks(file, folder);
    const config = join(home, 'prometheus.yml');
    await writeFile(config, configOf(options));
    const { child, url } = await launch(config, folder, options);
    const end = (): Promise<void> => stop(child).then(() => remove(home, removeHome));
    return { url, pid: child.pid ?? NaN, folder, stop: end };
  } catch (cause) {
    await remove(home, removeHome);
    throw cause;
  }
}

function configOf({ targetsFolder, remoteWriteUrl }: PrometheusOptions): string {
  const scrapes = targetsFolder === undefined ? 'scrape_configs: []\n' : scrapesOf(targetsFolder);
  if (remoteWriteUrl === undefined) return scrapes;
  return `${scrapes}remote_write:
  - url: ${remoteWriteUrl}
    queue_config: { batch_send_deadline: 100ms, max_samples_per_send: 500 }
    write_relabel_configs:
      - { source_labels: [__name__], regex: up|scrape_.*, action: drop }
`;
}

/** As OpenCost's own documentation has it (https://opencost.io/docs/installation/prometheus). */
function scrapesOf(targetsFolder: string): string {
  return `scrape_configs:
  - job_name: opencost
    honor_labels: true
    scrape_interval: 1s
    scrape_timeout: 1s
    file_sd_configs:
      - files: ['${targetsFolder}/*.json']
        refresh_interval: 1s
`;
}

async function launch(
  config: string,
  folder: string,
  options: PrometheusOptions,
): Promise<{ child: ChildProcess; url: string }> {
  // The kernel ends the server where this process is killed before it can.
  const tied = findBinary('setpriv') === undefined ? [] : ['setpriv', '--pdeathsig=KILL'];
  const [program, ...first] = [...tied, 'prometheus'];
  const child = spawn(
    program,
    [
      ...first,
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}`,
      `--storage.tsdb.retention.time=${options.retention ?? '100y'}`,
      '--web.listen-address=127.0.0.1:0',
      ...(options.flags ?? []),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  try {
    const url = await announcedUrl(child);
    await ready(url, Date.now() + READY_WITHIN_MS);
    return { child, url };
  } catch (cause) {
    await stop(child);
    throw cause;
  }
}

/** With port 0 the system chooses, and Prometheus logs the address it got. */
async function announcedUrl(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('BUG: stderr is not a pipe');
  const said: string[] = [];
  const ended = once(child, 'close').then(() => {
    throw new Error(`cannot start prometheus:\n${said.slice(-5).join('\n')}`);
  });
  const lines = createInterface({ input: child.stderr });
  const heard = new Promise<string>((resolve) => {
    // Listening goes on after the address came: a full pipe would stop the server.
    lines.on('line', (line) => {
      said.push(line);
      const address = /Listening on.*address=(127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    });
  });
  ended.catch(() => undefined);
  return await Promise.race([heard, ended]);
}

async function ready(url: string, deadlineMs: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    if (Date.now() > deadlineMs) throw new Error(`${url} is not ready after ${READY_WITHIN_MS} ms`);
    await sleep(20);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}

async function remove(home: string, removeAtExit: () => void): Promise<void> {
  process.off('exit', removeAtExit);
  await rm(home, { recursive: true, force: true });
}

/** A signal ends a process without 'exit' handlers, unless it is turned into an ordinary exit. */
function exitOnSignals(): void {
  if (process.listenerCount('SIGTERM') > 0) return;
  process.once('SIGTERM', () => process.exit(143));
  process.once('SIGINT', () => process.exit(130));
}
