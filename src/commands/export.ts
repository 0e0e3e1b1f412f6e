/** `prorata export`: writes stored sets to standard output or a file, without a server. */
import {
  readStoredPlan,
  resolve,
  withUnborneShares,
  resolveSets,
  STORED_PARAMETERS,
  storedAnswer,
  type StoredPlan,
} from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { parquetChunks } from '../export/index.ts';
import { parseQuery } from '../http/index.ts';
import { createLogger } from '../terminal/log.ts';
import { Fault, listedWarnings, messageOf, type Clock } from '../query/index.ts';
import { arrowBatches } from '../storage/index.ts';
import { cloudBill } from '../server/cloud-bill.ts';
import { openCaches } from '../server/caches.ts';
import { clockOf } from '../server/clock.ts';
import { startEngine, type Engine } from '../server/engine.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { fileTarget, streamTarget } from '../terminal/target.ts';
import { warn } from '../terminal/warn.ts';
import { LateWorkers, openQueriedSets } from '../server/open-sets.ts';
import { nameOfStorePlace, storeOf } from '../settings/store.ts';

/** For files only, as its index is at the end. */
const PARQUET = 'parquet';

const FLAGS: readonly Flag[] = [
  ...STORED_PARAMETERS.map((parameter) =>
    parameter.name === 'format'
      ? { ...parameter, value: `${parameter.value}|${PARQUET}` }
      : parameter,
  ),
  { name: 'output', short: 'o', value: 'FILE', help: 'default standard output, as does -' },
  { name: 'quiet', help: 'neither progress nor warnings' },
];

const HELP = `prorata export --window WINDOW --data-dir FOLDER [flags]

  The answer of GET /model/allocation from the sets in the folder; a server may be running on it.
  Ends with 0, with 1 on an error or where something of the window is damaged: the answer then lacks
  it, and warnings name it. With 2 on wrong usage, with 130 when interrupted.

  prorata export --window lastmonth --format csv --columns full --accumulate day -o month.csv \\
    --data-dir /var/lib/prorata

${flagsHelp(FLAGS)}`;

export async function exportSets(argv: readonly string[]): Promise<void> {
  const { values, loaded } = usage(FLAGS, () => {
    const taken = takeFlags(argv, FLAGS);
    return { values: taken.values, loaded: loadSettings(taken.rest) };
  });
  if (loaded.help !== undefined) process.stdout.write(`${HELP}\n${loaded.help}\n`);
  else await interruptible((signal) => run(loaded.config, values, signal));
}

async function run(
  config: Config,
  values: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const parameters = new URLSearchParams();
  const isParquet = values.get('format') === PARQUET;
  for (const { name } of STORED_PARAMETERS) parameters.append(name, values.get(name) ?? '');
  if (isParquet) parameters.set('format', 'arrow');
  const query = parseQuery(parameters.toString(), null, config.isExactDays);
  const planBy = ({ calendar, nowMs }: Clock): StoredPlan =>
    readStoredPlan(query, calendar, nowMs());
  const folder = usage(FLAGS, () => {
    planBy(clockOf(config)); // a mistake is refused before anything is read
    return folderOf(config);
  });
  const workers = new LateWorkers();
  const sets = await openQueriedSets(config, workers);
  const clock = clockOf(config, sets);
  const plan = planBy(clock);
  const stored = resolveSets(sets, clock.calendar, plan);
  if (stored.groups.every(({ members }) => members.length === 0)) {
    throw new Fault(`nothing of the window is stored in ${folder}`, {
      hint: stored.warnings.map(messageOf)[0] ?? 'hours are stored for the last days only',
    });
  }
  const file = values.get('output') ?? '-';
  const isQuiet = values.has('quiet');
  const target = file === '-' ? streamTarget(process.stdout) : await fileTarget(file);
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  let engine: Engine | undefined;
  try {
    engine = await startEngine(config, createLogger('silent'));
    const onSet = (done: number, total: number): void =>
      line.draw(() => ({ fraction: done / total, doing: `sets ${done}/${total}` }));
    const { compute } = engine;
    workers.connect(compute.pool);
    const written = WRITTEN_SHARE * compute.arena.capacityBytes;
    // Each set is read once: none stays after it is written.
    const caches = openCaches(compute, { hot: 0, grouped: 0, charges: 0, written }, signal);
    const options = { sets, billed: { cloud: cloudBill(sets) }, caches, compute, clock };
    const resolved = await withUnborneShares(options, plan, await resolve(options, plan));
    const answer = storedAnswer(options, plan, resolved, { signal, onSet });
    const { chunks } = answer;
    await target.write(isParquet ? parquetChunks(arrowBatches(chunks)) : chunks);
    line.end();
    const { warnings, isPartial, isDamaged } = answer.found();
    const listed = listedWarnings(warnings).map(messageOf);
    const said = isPartial ? ['the answer is partial', ...listed] : listed;
    // Damage is reported in any case.
    for (const each of isQuiet && !isDamaged ? [] : said) warn(each);
    if (isDamaged) process.exitCode = 1;
  } finally {
    line.end();
    await target.close();
    await engine?.close();
    await sets.close();
  }
}

function folderOf(config: Config): string {
  const name = nameOfStorePlace(storeOf(config));
  if (name !== undefined) return name;
  throw new Fault('export needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
}

/** Share of the arena for the set being written and the next one. */
const WRITTEN_SHARE = 0.5;
