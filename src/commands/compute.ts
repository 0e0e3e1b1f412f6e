/** `prorata compute`: the on-demand query without a server, to standard output or a file. */
import { PARAMETERS, query, readPlan } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { parseQuery } from '../http/index.ts';
import { createLogger } from '../terminal/log.ts';
import { observed } from '../metrics/index.ts';
import { listedWarnings, messageOf } from '../query/index.ts';
import { clockOf } from '../server/clock.ts';
import { metricsOf, openSource, startEngine, type Engine } from '../server/engine.ts';
import { flagsHelp, takeFlags, usage, type Flag } from '../terminal/flags.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { createProgress } from '../terminal/progress.ts';
import { loadSettings } from '../terminal/settings.ts';
import { fileTarget, streamTarget } from '../terminal/target.ts';
import { warn } from '../terminal/warn.ts';

const FLAGS: readonly Flag[] = [
  ...PARAMETERS,
  { name: 'output', short: 'o', value: 'FILE', help: 'default standard output, as does -' },
  { name: 'quiet', help: 'neither progress nor warnings' },
];

const HELP = `prorata compute --window WINDOW [flags]

  The answer of GET /model/allocation/compute, without a server.
  Ends with 0, with 1 on an error, with 2 on wrong usage, with 130 when interrupted.

  prorata compute --window 7d --aggregate namespace --format csv -o week.csv

${flagsHelp(FLAGS)}`;

export async function compute(argv: readonly string[]): Promise<void> {
  const { values, loaded } = usage(FLAGS, () => {
    const taken = takeFlags(argv, FLAGS);
    return { values: taken.values, loaded: loadSettings(taken.rest) };
  });
  if (loaded.help !== undefined) {
    process.stdout.write(`${HELP}\n${loaded.help}\n`);
    return;
  }
  await interruptible((signal) => run(loaded.config, values, signal));
}

async function run(
  config: Config,
  values: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const time = clockOf(config);
  const parameters = new URLSearchParams();
  for (const { name } of PARAMETERS) parameters.append(name, values.get(name) ?? '');
  const plan = usage(FLAGS, () =>
    readPlan(parseQuery(parameters.toString()), time.calendar, time.nowMs()),
  );
  const isQuiet = values.has('quiet');
  const progress = createProgress(isQuiet ? undefined : process.stderr, process.env);
  const file = values.get('output') ?? '-';
  const target = file === '-' ? streamTarget(process.stdout) : await fileTarget(file);
  const source = openSource(config);
  let engine: Engine | undefined;
  try {
    engine = await startEngine(config, createLogger('silent'));
    const metrics = metricsOf(config, observed(source, progress.onRead));
    const options = { compute: engine.compute, metrics };
    const { warnings, isPartial, chunks } = await query(options, plan, signal, progress);
    await target.write(chunks);
    progress.end();
    const listed = listedWarnings(warnings).map(messageOf);
    const said = isPartial ? ['the answer is partial', ...listed] : listed;
    for (const warning of isQuiet ? [] : said) warn(warning);
  } finally {
    progress.end();
    await target.close();
    await engine?.close();
    await source.close();
  }
}
