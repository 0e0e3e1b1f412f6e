/** `prorata build`: fills the folder of stored days from the metrics store, without a server. */
import type { Backfill } from '../allocation/index.ts';
import type { Config } from '../config.ts';
import { createLogger } from '../log.ts';
import { createAdmission } from '../pool/index.ts';
import { Fault, parseWindow, type Window } from '../query/index.ts';
import { runAsked, SettingsHelp } from './asked.ts';
import { openSource, startEngine, timeOf } from './engine.ts';
import { flagsHelp, takeFlags, type Flag } from './flags.ts';
import { openBuilder } from './open-builder.ts';
import { openSets } from './open-sets.ts';
import { createLine } from './progress-line.ts';
import { loadSettings } from './settings.ts';
import { warn } from './warn.ts';

const FLAGS: readonly Flag[] = [
  {
    name: 'window',
    value: 'WINDOW',
    help: 'only days that it overlaps; default all that are kept',
  },
  { name: 'again', help: 'days that are final are built anew too, as after a change of prices' },
  { name: 'quiet', help: 'no progress' },
];

const HELP = `prorata build --data-dir FOLDER [flags]

  Builds what is missing of the stored days, the newest first, as the server does by itself. What is
  there is kept, so that an interrupted build goes on where it was. No server may be running on the
  folder. Ends with 0, with 1 when a day cannot be built, with 2 on wrong usage, with 130 when
  interrupted.

  prorata build --data-dir /var/lib/prorata --metrics-url http://localhost:9090 --window 30d

${flagsHelp(FLAGS)}`;

interface Asked {
  readonly config: Config;
  readonly window: Window | undefined;
  readonly isAgain: boolean;
  readonly isQuiet: boolean;
}

export async function build(argv: readonly string[]): Promise<void> {
  await runAsked({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): Asked | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  if (config.dataDir === undefined) {
    throw new Fault('build needs a folder', { hint: 'for example --data-dir /var/lib/prorata' });
  }
  const { calendar, nowMs } = timeOf(config);
  const text = values.get('window');
  const window = text === undefined ? text : parseWindow(text, { calendar, nowMs: nowMs() });
  return { config, window, isAgain: values.has('again'), isQuiet: values.has('quiet') };
}

async function run({ config, isQuiet, ...asked }: Asked, signal: AbortSignal): Promise<void> {
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  const onProgress = ({ done, total }: Backfill): void =>
    line.draw(() => ({ fraction: done / total, doing: `${done} of ${total} days` }));
  const source = openSource(config);
  const engine = await startEngine(config, createLogger('silent'));
  try {
    const sets = await openSets(config, engine, warn);
    try {
      const admission = createAdmission({ running: 1, waiting: 0, waitMs: 0 });
      const parts = { source, sets, admission };
      const builder = openBuilder(config, engine, parts, createLogger('silent'));
      const { done, total, failing } = await builder.fill({ ...asked, onProgress }, signal);
      line.end();
      failing.forEach(warn);
      process.stdout.write(`${done} of ${total} days are stored\n`);
      if (failing.length > 0) process.exitCode = 1;
    } finally {
      line.end();
      await sets.close();
    }
  } finally {
    await engine.close();
    await source.close();
  }
}
