/** Loads the openb trace into a Prometheus data folder. openb-fleet.ts says what is real and what is ours. */
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandLine } from './commands.ts';
import { type OpenbPod, openbFleet, TRACE_START_MS } from './openb-fleet.ts';
import { isSeen, type ScrapePlan, writeOpenb } from './openb-series.ts';
import { openMetricsWriter } from './openmetrics.ts';
import { createBlocks } from './prometheus-blocks.ts';

const MS_PER_DAY = 86_400_000;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/**
 * The longest block promtool makes below its limit of 1488 h, aligned to the Unix epoch. One file
 * each, so that the tool reads every line twice and not once per block of the whole time.
 */
const BLOCK_MS = 1458 * 3_600_000;

export async function readOpenb(folder: string): Promise<readonly OpenbPod[]> {
  const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  return openbFleet(await text('pods.csv'), await text('nodes.csv'));
}

/** @returns how many samples were loaded; `log` hears of each part */
export async function loadOpenb(
  pods: readonly OpenbPod[],
  plan: ScrapePlan,
  folder: string,
  log: (line: string) => void = () => undefined,
): Promise<number> {
  await mkdir(folder, { recursive: true });
  const temporary = await mkdtemp(`${folder.replace(/\/+$/, '')}-openmetrics-`);
  let samples = 0;
  let loading: Promise<void> = Promise.resolve();
  try {
    for (const part of blockParts(plan)) {
      const file = join(temporary, `${part.startMs}.om`);
      const writer = openMetricsWriter(file);
      await writeOpenb(writer, pods, part);
      samples += await writer.close();
      const { size } = await stat(file);
      log(
        `${isoTime(part.startMs)} … ${isoTime(part.endMs)}: ${Math.round(size / 1e6)} MB of text`,
      );
      // One file is loaded while the next is written.
      await loading;
      loading = createBlocks(file, folder).then(() => rm(file));
      loading.catch(() => undefined);
    }
    await loading;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return samples;
}

function blockParts(plan: ScrapePlan): ScrapePlan[] {
  const parts: ScrapePlan[] = [];
  for (let startMs = plan.startMs; startMs < plan.endMs;) {
    const blockEndMs = (Math.floor(startMs / BLOCK_MS) + 1) * BLOCK_MS;
    const endMs = Math.min(plan.endMs, blockEndMs);
    parts.push({ ...plan, startMs, endMs });
    startMs = endMs;
  }
  return parts;
}

function isoTime(timestampMs: number): string {
  return new Date(timestampMs).toISOString();
}

function milliseconds(duration: string): number {
  const [, amount, unit = ''] = /^(\d+)([smh])$/.exec(duration) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined) throw new Error(`BUG: '${duration}' was accepted`);
  return Number(amount) * unitMs;
}

async function main(): Promise<void> {
  const {
    values,
    operands: [folder = ''],
  } = commandLine('openb');
  const startMs = TRACE_START_MS + values['from-day'] * MS_PER_DAY;
  const plan = {
    startMs,
    endMs: startMs + values.days * MS_PER_DAY,
    intervalMs: milliseconds(values.interval),
    usageIntervalMs: milliseconds(values['usage-interval']),
    nodeIntervalMs: milliseconds(values['node-interval']),
  };
  const pods = await readOpenb(folder);
  const unseen = pods.filter((pod) => !isSeen(pod, plan.intervalMs)).length;
  console.log(`${pods.length} pods, ${unseen} of them between two scrapes and never seen`);
  const samples = await loadOpenb(pods, plan, values.out, console.log);
  console.log(
    `${samples} samples in ${values.out}; second 0 of the trace is ${isoTime(TRACE_START_MS)}`,
  );
  console.log(`prometheus --config.file=/dev/null --storage.tsdb.path=${values.out} \\
  --storage.tsdb.retention.time=100y --web.listen-address=127.0.0.1:9090`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
