/** The command line: reads the configuration and runs one command. */
import { readFileSync } from 'node:fs';
import { startServer } from './commands/serve.ts';
import { loadConfig, type Loaded } from './config.ts';
import { createLogger } from './log.ts';
import { Fault, nearest, Unavailable } from './query/index.ts';

const USAGE = `prorata <command> [flags]

  serve    answers the HTTP API (default)

Try: prorata serve --metrics-url http://localhost:9090
`;

/** How long running answers may take to finish after SIGTERM. */
const GRACE_MS = 25_000;

async function serve(argv: readonly string[]): Promise<void> {
  const loaded = load(argv);
  if (loaded.help !== undefined) {
    process.stdout.write(`${USAGE}\n${loaded.help}\n`);
    return;
  }
  const log = createLogger('info');
  const running = await startServer(loaded.config, log);
  log.info({ url: running.url, source: running.source }, 'prorata is listening');
  const stop = (): void => {
    log.info({}, 'stopping');
    running
      .close(GRACE_MS)
      .catch((error: unknown) => log.error({ err: error }, 'cannot stop cleanly'))
      .finally(() => process.exit());
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function load(argv: readonly string[]): Loaded {
  return loadConfig(argv, process.env, (path) => readFileSync(path, 'utf8'));
}

type Command = (argv: readonly string[]) => Promise<void>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([['serve', serve]]);

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
  const known = error instanceof Fault || error instanceof Unavailable;
  const text = known ? `${error.message}\n${error.hint ?? ''}` : inspect(error);
  process.stderr.write(`prorata: ${text.trimEnd()}\n`);
  process.exit(1); // threads that were started before the failure would keep the process alive
});

function inspect(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
