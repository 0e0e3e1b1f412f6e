/** `prorata build`: fills the folder of stored days from the metrics store, without a server. */
import type { Backfill } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { createLogger } from '../terminal/log.ts';
import { createAdmission } from '../pool/index.ts';
import { Fault, parseWindow, type Clock, type Window } from '../query/index.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { clockOf } from '../server/clock.ts';
import { metricsOf, openSource, startEngine } from '../server/engine.ts';
import { flagsHelp, takeFlags, type Flag } from '../terminal/flags.ts';
import { openBuilder } from '../server/open-builder.ts';
import { openSets } from '../server/open-sets.ts';
import { storeOf } from '../settings/store.ts';
import { missingStore, receivedByServer, sourceKindOf } from '../server/source-kind.ts';
import { createLine } from '../terminal/progress-line.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';

const FLAGS: readonly Flag[] = [
  {
    name: 'window',
    value: 'WINDOW',
    help: 'only days that it overlaps; default all of the retention',
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

interface BuildArguments {
  readonly config: Config;
  /** Text of a window; absent: all. */
  readonly window: string | undefined;
  readonly isAgain: boolean;
  readonly isQuiet: boolean;
}

export async function build(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): BuildArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  if (storeOf(config).kind === 'memory') {
    throw new Fault('build needs a folder', {
      hint: 'for example --data-dir /var/lib/prorata, or a bucket by --store',
    });
  }
  const window = values.get('window');
  windowOf(window, clockOf(config)); // a mistake is refused before anything is opened
  const kind = sourceKindOf(config);
  if (kind === 'none') throw missingStore('nothing can be built');
  if (kind === 'receiver') throw receivedByServer();
  return { config, window, isAgain: values.has('again'), isQuiet: values.has('quiet') };
}

function windowOf(text: string | undefined, { calendar, nowMs }: Clock): Window | undefined {
  return text === undefined ? text : parseWindow(text, { calendar, nowMs: nowMs() });
}

async function run(
  { config, isQuiet, window: text, isAgain }: BuildArguments,
  signal: AbortSignal,
): Promise<void> {
  const line = createLine(isQuiet ? undefined : process.stderr, process.env);
  const onProgress = ({ done, total }: Backfill): void =>
    line.draw(() => ({ fraction: done / total, doing: `${done} of ${total} days` }));
  const source = openSource(config);
  const engine = await startEngine(config, createLogger('silent'));
  const { compute } = engine;
  try {
    const sets = await openSets(config, compute, warn);
    try {
      const admission = createAdmission({ lane: 'builds', running: 1, waiting: 0, waitMs: 0 });
      const parts = { compute, metrics: metricsOf(config, source), sets, admission };
      const builder = openBuilder(config, parts, createLogger('silent'));
      const window = windowOf(text, clockOf(config, sets));
      const fill = { window, isAgain, onProgress };
      const { done, total, failing } = await builder.fill(fill, signal);
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
