/** The command line: reads the configuration and runs one command. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from './commands/serve.ts';
import { Misuse } from './terminal/flags.ts';
import { Interrupted } from './terminal/interrupt.ts';
import { loadSettings } from './terminal/settings.ts';
import { stopOnSignals } from './terminal/stop-signals.ts';
import { createLogger, type Logger } from './terminal/log.ts';
import { asRequestError, Fault, hideSecrets, nearest, Unavailable } from './query/index.ts';

const USAGE = `prorata <command> [flags]

  serve     answers the HTTP API (default)
  compute   answers one query to standard output or a file
  accuracy  measures what each resolution makes of pods of known lives
  build     fills the stored days from the metrics store
  export    writes what is stored as CSV, JSON, NDJSON, Arrow or Parquet
  import    keeps bills, and days that Kubecost, OpenCost or prorata computed elsewhere
  predict   tells what manifests will cost a month
  agent     sends the facts and the usage of a cluster to a receiver
  mcp       answers assistants and agents over standard input, by the Model Context Protocol
  prices    shows the list prices of node types, and compares yours with them
  token     makes a token for callers of a server with --auth tokens
  copy      copies the stored sets into another store
  fsck      checks every byte of the stored sets
  doctor    tells what who helps would ask for: versions, limits, the store, the folder, settings

Try: prorata serve --metrics-url http://localhost:9090
`;

/**
 * V8 of Node 20 optimizes a function once it has run so much of its code; its own figure is 132,000.
 * Optimizing takes some 3 ms of a core, about as long as running this much: time that a first answer lacks.
 * Later versions have a faster compiler, Maglev, for functions that are not hot yet.
 */
const OPTIMIZED_AFTER_BYTES = 1_000_000;

async function serve(argv: readonly string[]): Promise<void> {
  const loaded = loadSettings(argv);
  if (loaded.help !== undefined) {
    process.stdout.write(`${USAGE}\n${loaded.help}\n`);
    return;
  }
  const { startServer } = await import('./commands/serve.ts');
  const { setV8Flag } = await import('./columnar/index.ts');
  setV8Flag('interrupt-budget', OPTIMIZED_AFTER_BYTES);
  const log = createLogger(loaded.config.logLevel);
  logUnmatched(log);
  const started: { running?: Running } = {};
  stopOnSignals(async (signal) => {
    log.info({ signal }, 'stopping');
    // Until it listens there is nothing to end; it may wait for its store.
    const { running } = started;
    if (running === undefined) return;
    running.leave();
    // Balancers that have to see it first send SIGTERM; nobody who presses Ctrl-C wants to wait.
    if (signal === 'SIGTERM') await sleep(loaded.config.drainDelayMs);
    const cut = await running.close(loaded.config.drainTimeoutMs);
    if (cut > 0) log.warn({ answers: cut }, 'answers were cut off, as they did not end in time');
  }, log);
  const running = await startServer(loaded.config, log);
  started.running = running;
  log.info({ url: running.url, source: running.source }, 'prorata is listening');
}

/** What Node would print as text is logged, and ends the process as Node would. */
function logUnmatched(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.info({ err: warning }, 'Node warns'));
  process.on('uncaughtException', (error) => {
    log.error({ err: error }, 'an error that nobody handled ends the process');
    process.exit(1);
  });
}

type Command = (argv: readonly string[]) => Promise<void>;

/** Each loads what it needs when it is called: no command waits for the others. */
const COMMANDS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['serve', serve],
  ['compute', async (argv) => (await import('./commands/compute.ts')).compute(argv)],
  ['accuracy', async (argv) => (await import('./commands/accuracy.ts')).accuracy(argv)],
  ['build', async (argv) => (await import('./commands/build.ts')).build(argv)],
  ['export', async (argv) => (await import('./commands/export.ts')).exportSets(argv)],
  ['import', importFiles],
  ['predict', async (argv) => (await import('./commands/predict.ts')).predict(argv)],
  ['agent', async (argv) => (await import('./commands/agent.ts')).agent(argv)],
  ['mcp', async (argv) => (await import('./commands/mcp.ts')).mcp(argv)],
  ['prices', async (argv) => (await import('./commands/prices.ts')).prices(argv)],
  ['token', async (argv) => (await import('./commands/token.ts')).token(argv)],
  ['copy', async (argv) => (await import('./commands/copy.ts')).copy(argv)],
  ['fsck', async (argv) => (await import('./commands/fsck.ts')).fsck(argv)],
  ['doctor', async (argv) => (await import('./commands/doctor.ts')).doctor(argv)],
]);

async function importFiles(argv: readonly string[]): Promise<void> {
  const [kind, ...rest] = argv;
  if (kind === 'focus') return (await import('./commands/import-focus.ts')).importFocus(rest);
  await (await import('./commands/import.ts')).importHistory(argv);
}

async function main(argv: readonly string[]): Promise<void> {
  const [first = 'serve', ...rest] = argv;
  const isFlag = first.startsWith('-');
  const command = COMMANDS.get(isFlag ? 'serve' : first);
  if (!command) throw unknownCommand(first);
  await command(isFlag ? argv : rest);
}

function unknownCommand(typed: string): Fault {
  const near = nearest(typed, [...COMMANDS.keys()]);
  return new Fault(`'${typed.slice(0, 80)}' is not a command`, {
    hint: near === undefined ? USAGE : `did you mean '${near}'?`,
  });
}

main(process.argv.slice(2)).catch((error: unknown) => {
  const text = told(error).trimEnd();
  if (text !== '') process.stderr.write(`prorata: ${text}\n`);
  // Threads that were started before the failure would keep the process alive.
  process.exit(exitCode(error));
});

function told(thrown: unknown): string {
  const error = asRequestError(thrown);
  if (error instanceof Interrupted) return error.message;
  const known = error instanceof Fault || error instanceof Unavailable;
  return known ? `${error.message}\n${error.hint ?? ''}` : hideSecrets(inspect(error));
}

function exitCode(error: unknown): number {
  if (error instanceof Interrupted) return error.exitCode;
  return error instanceof Misuse ? 2 : 1;
}

function inspect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
