/**
 * The same requests of remote write to prorata's receiver, a real Prometheus and a real VictoriaMetrics,
 * each behind HTTP in a process of its own: seven connections, each with its own series.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ReceiverFigures } from '../src/receiver/index.ts';
import { skipWithout } from '../test/support/servers/services.ts';
import { startPrometheus } from '../test/support/stores/prometheus.ts';
import { startVictoria, VICTORIA } from '../test/support/stores/victoria.ts';
import type { Benchmark, BenchOptions, Task } from './harness.ts';
import { cpuMs } from './process-figures.ts';
import { METRICS, writeRequests, type WriteRequests } from './write-requests.ts';

/** A server that takes remote write. */
interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  /** Samples in it, and bytes of a file form that lasts. */
  stored(): Promise<{ readonly samples: number; readonly bytes: number }>;
  stop(): Promise<void>;
}

/** Runs of a task, and some to spare. */
const RUNS = 12;

export async function* receiveBenchmarks(options: BenchOptions): AsyncGenerator<Benchmark> {
  const missing = skipWithout('prometheus', VICTORIA);
  if (missing !== false) return options.note(`receive is left out: ${missing}`);
  const [containers, scrapes] = options.isSmoke ? [100, 2] : [1000, 8];
  const requests = writeRequests(containers, RUNS * scrapes, Date.now());
  const samples = requests.series * scrapes;
  const home = mkdtempSync(join(tmpdir(), 'prorata-receive-'));
  const targets: Target[] = [];
  try {
    targets.push(await startReceiver(join(home, 'prorata')));
    targets.push(await startReceivingPrometheus(join(home, 'prometheus')));
    targets.push(await startReceivingVictoria());
    const senders = targets.map((target) => new Sender(target, requests, scrapes));
    yield {
      title: `Remote write 1.0, ${requests.series} series × ${scrapes} scrapes, 2,000 samples a request`,
      amount: samples / 1e6,
      unit: 'M samples',
      isSlow: true,
      tasks: senders.map((sender) => sender.task()),
    };
    for (const sender of senders) options.note(await sender.report());
  } finally {
    await Promise.all(targets.map((target) => target.stop()));
    rmSync(home, { recursive: true, force: true });
  }
}

class Sender {
  readonly #target: Target;
  readonly #requests: WriteRequests;
  readonly #scrapes: number;
  readonly #perScrape: number;
  readonly #agent = new Agent({ keepAlive: true });
  #scrape = 0;
  #cpuMs = 0;

  constructor(target: Target, requests: WriteRequests, scrapes: number) {
    this.#target = target;
    this.#requests = requests;
    this.#scrapes = scrapes;
    this.#perScrape = requests.bodies.length / (RUNS * scrapes);
  }

  task(): Task {
    return {
      name: this.#target.name,
      run: () => this.#run(),
      checksum: async () => (await this.#target.stored()).samples / this.#sent,
    };
  }

  async report(): Promise<string> {
    const { samples, bytes } = await this.#target.stored();
    this.#agent.destroy();
    const cpu = (1000 * this.#cpuMs) / this.#sent;
    const size = (bytes / samples).toFixed(2);
    return `${this.#target.name}: ${cpu.toFixed(2)} CPU seconds a million samples, ${size} bytes a sample on disk`;
  }

  get #sent(): number {
    return this.#scrape * this.#requests.series;
  }

  /** The next scrapes: each connection sends its own series, in order. */
  async #run(): Promise<void> {
    const from = this.#scrape;
    this.#scrape += this.#scrapes;
    const before = cpuMs(this.#target.pid);
    const connections = Array.from({ length: this.#perScrape }, async (_, connection) => {
      for (let scrape = from; scrape < this.#scrape; scrape++)
        await this.#send(this.#requests.bodies[scrape * this.#perScrape + connection]);
    });
    await Promise.all(connections);
    this.#cpuMs += cpuMs(this.#target.pid) - before;
  }

  async #send(body: Uint8Array | undefined): Promise<void> {
    const sent = request(`${this.#target.url}/api/v1/write`, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/x-protobuf',
        'content-encoding': 'snappy',
        'x-prometheus-remote-write-version': '0.1.0',
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    let text = '';
    for await (const part of response) text += String(part);
    if (response.statusCode !== 204)
      throw new Error(`${this.#target.name}: ${response.statusCode} ${text}`);
  }
}

async function startReceiver(folder: string): Promise<Target> {
  const script = fileURLToPath(new URL('./receive-server.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const url = `http://127.0.0.1:${port.toString().trim()}`;
  return {
    name: 'prorata, synced',
    url,
    pid: child.pid ?? NaN,
    async stored() {
      for (;;) {
        const answer = await fetch(`${url}/cut`);
        const { samples, blocks, blockBytes, logBytes } = (await answer.json()) as ReceiverFigures;
        if (logBytes === 0 && blocks > 0) return { samples, bytes: blockBytes };
        await sleep(100);
      }
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

async function startReceivingPrometheus(dataFolder: string): Promise<Target> {
  const flags = ['--web.enable-remote-write-receiver', '--web.enable-admin-api'];
  const server = await startPrometheus({ dataFolder, flags });
  const { url, pid } = server;
  return {
    name: 'Prometheus',
    url,
    pid,
    async stored() {
      const answer = await fetch(`${url}/api/v1/admin/tsdb/snapshot`, { method: 'POST' });
      const { data } = (await answer.json()) as { data: { name: string } };
      const bytes = folderBytes(join(dataFolder, 'snapshots', data.name));
      return { samples: await countSamples(url), bytes };
    },
    stop: () => server.stop(),
  };
}

async function startReceivingVictoria(): Promise<Target> {
  const server = await startVictoria();
  const { url, pid } = server;
  return {
    name: 'VictoriaMetrics',
    url,
    pid,
    async stored() {
      await (await fetch(`${url}/internal/force_flush`)).text();
      await (await fetch(`${url}/internal/force_merge`)).text();
      const metrics = await (await fetch(`${url}/metrics`)).text();
      const sizes = metrics.matchAll(/^vm_data_size_bytes\{type="(?!tagFilters)[^"]*"\} (\S+)$/gm);
      const bytes = [...sizes].reduce((sum, [, size]) => sum + Number(size), 0);
      return { samples: await countSamples(url), bytes };
    },
    stop: () => server.stop(),
  };
}

async function countSamples(url: string): Promise<number> {
  const query = METRICS.map((metric) => `sum(count_over_time(${metric}[3h]))`).join(' + ');
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
  const text = await answer.text();
  const value = /"value":\[[\d.]+,"(\d+)"\]/.exec(text)?.[1];
  if (value === undefined) throw new Error(`${url}: ${answer.status} ${text.slice(0, 500)}`);
  return Number(value);
}

function folderBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
}
