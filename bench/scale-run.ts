/**
 * One on-demand query measured in a server of its own, which takes turns with bare downloads: of the
 * four streams that it needs most, and of all that it reads.
 */
import { startProrata } from '../test/support/servers/prorata.ts';
import type { Download } from './download.ts';
import type { Downloader } from './downloader.ts';
import { cpuMs, peakBytes } from './process-figures.ts';
import { answeredTotals, queryPath, requireTotals } from './query-task.ts';
import { MARGIN_MS, WINDOW_START_MS, type FleetOptions, type Totals } from './usage-fleet.ts';

const HOUR_MS = 3_600_000;
/** Runs after the first that do not count: V8 compiles again what runs often. */
const WARM_ROUNDS = 2;

export interface ScaleRun {
  readonly fleet: FleetOptions;
  readonly storeUrl: string;
  readonly downloader: Downloader;
  /** The four streams. */
  readonly reads: readonly Download[];
  /** All that the query reads. */
  readonly allReads: readonly Download[];
  /** What the samples come to; an answer that differs by more than 1e-9 throws. */
  readonly totals: Totals;
  /** Runs that count, after some that do not. */
  readonly rounds: number;
}

/** Medians of the times, the least CPU time of the server, the most that it ever held. */
export interface ScaleFigures {
  readonly containers: number;
  readonly resolution: string;
  /** Four streams at once. */
  readonly downloadMs: number;
  /** The same, one after the other. */
  readonly inTurnMs: number;
  /** All that the query reads, at once. */
  readonly allMs: number;
  readonly queryMs: number;
  readonly serverCpuMs: number;
  readonly peakBytes: number;
  readonly totals: Totals;
}

/** The server did not run the query: its status and what it says. */
export interface Refused {
  readonly containers: number;
  readonly resolution: string;
  readonly refusal: string;
}

export async function scaleFigures(
  run: ScaleRun,
  resolution: string,
): Promise<ScaleFigures | Refused> {
  const { fleet, downloader } = run;
  const { containers } = fleet;
  const now = new Date(WINDOW_START_MS + fleet.hours * HOUR_MS + MARGIN_MS).toISOString();
  const prorata = await startProrata(['--metrics-url', run.storeUrl, '--now', now]);
  try {
    const path = queryPath(fleet, resolution);
    const first = await fetch(prorata.url + path);
    if (first.status !== 200) {
      const refusal = `${first.status} ${(await first.text()).slice(0, 500)}`;
      return { containers, resolution, refusal };
    }
    // Read to its end without being kept.
    for await (const _ of first.body ?? []);
    const get = { method: 'GET' as const, origin: prorata.url, path };
    for (let round = 0; round < WARM_ROUNDS; round++) await downloader.run([get]);
    const downloads: number[] = [];
    const inTurn: number[] = [];
    const all: number[] = [];
    const queries: number[] = [];
    const cpus: number[] = [];
    for (let round = 0; round < run.rounds; round++) {
      downloads.push(await timeMs(() => downloader.run(run.reads)));
      inTurn.push(await timeMs(() => downloader.runInTurn(run.reads)));
      all.push(await timeMs(() => downloader.run(run.allReads)));
      const before = cpuMs(prorata.pid);
      queries.push(await timeMs(() => downloader.run([get])));
      cpus.push(cpuMs(prorata.pid) - before);
    }
    const peak = peakBytes(prorata.pid);
    const totals = await answeredTotals(prorata.url + path);
    requireTotals(totals, run.totals, resolution);
    return {
      containers,
      resolution,
      downloadMs: median(downloads),
      inTurnMs: median(inTurn),
      allMs: median(all),
      queryMs: median(queries),
      serverCpuMs: Math.min(...cpus),
      peakBytes: peak,
      totals,
    };
  } finally {
    await prorata.stop();
  }
}

async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
