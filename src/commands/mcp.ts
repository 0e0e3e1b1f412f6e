/** `prorata mcp`: the tools of the Model Context Protocol over standard input and output. */
import { readFileSync } from 'node:fs';
import { ROLES, type Role } from '../http/index.ts';
import { passTools, serveTools } from '../mcp/index.ts';
import { Fault, oneOf, Unavailable } from '../query/index.ts';
import { startParts } from '../server/parts/started.ts';
import type { Config } from '../settings/config.ts';
import { flagsHelp, takeFlags, type Flag } from '../terminal/flags.ts';
import { createLogger } from '../terminal/log.ts';
import { runParsed, SettingsHelp } from '../terminal/parsed-command.ts';
import { loadSettings } from '../terminal/settings.ts';
import { warn } from '../terminal/warn.ts';

const FLAGS: readonly Flag[] = [
  {
    name: 'url',
    value: 'URL',
    help: 'of a running server that answers; without it this process does',
  },
  {
    name: 'token-file',
    value: 'FILE',
    help: 'with the token for the server, read for each message',
  },
  {
    name: 'role',
    value: 'ROLE',
    help: `the rights of tools, at most: ${ROLES.join(', ')}; default viewer, which changes nothing`,
  },
];

const HELP = `prorata mcp [--url URL [--token-file FILE]] [--role ROLE] [settings]

  Tools for assistants and agents, by the Model Context Protocol over standard input and output: messages a line
  each, logs on standard error. With --url a server answers them; without it this process does, by the settings of
  serve, and listens nowhere. Ends with 0 when standard input ends, with 1 on an error, with 2 on wrong usage.

  prorata mcp --url http://127.0.0.1:9003
  prorata mcp --metrics-url http://localhost:9090 --data-dir ./data

${flagsHelp(FLAGS)}`;

interface McpArguments {
  readonly config: Config;
  readonly url: string | undefined;
  readonly tokenFile: string | undefined;
  readonly role: Role;
}

export async function mcp(argv: readonly string[]): Promise<void> {
  await runParsed({ flags: FLAGS, help: HELP, read: readArguments, run }, argv);
}

function readArguments(argv: readonly string[]): McpArguments | SettingsHelp {
  const { values, rest } = takeFlags(argv, FLAGS);
  const { help, config } = loadSettings(rest);
  if (help !== undefined) return new SettingsHelp(help);
  const [url, tokenFile] = [values.get('url'), values.get('token-file')];
  if (url !== undefined && !/^https?:\/\/[^/]/.test(url)) {
    throw new Fault(`--url: '${url.slice(0, 80)}' is not a URL of a server`, {
      parameter: '--url',
      hint: 'for example --url http://127.0.0.1:9003',
    });
  }
  if (tokenFile !== undefined && url === undefined) {
    throw new Fault('--token-file is for a server: it needs --url', { parameter: '--token-file' });
  }
  return { config, url, tokenFile, role: oneOf('--role', ROLES)(values.get('role') ?? 'viewer') };
}

async function run(args: McpArguments, signal: AbortSignal): Promise<void> {
  const { config, url, tokenFile, role } = args;
  if (url !== undefined) {
    const token = (): string | undefined =>
      tokenFile === undefined ? undefined : tokenIn(tokenFile);
    token();
    await passTools({ url, token, role }, signal, warn);
  } else await serveHere(config, role, signal);
  signal.throwIfAborted();
}

async function serveHere(config: Config, role: Role, signal: AbortSignal): Promise<void> {
  const log = createLogger(config.logLevel);
  const parts = await startParts(config, log);
  try {
    await parts.warmedUp;
    parts.begin();
    log.info({ source: parts.source, role }, 'prorata answers standard input');
    await serveTools(parts.tools, role, signal);
  } finally {
    await parts.close(() => Promise.resolve(0));
  }
}

/** @throws {Unavailable} when the file cannot be read */
function tokenIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Unavailable(`--token-file: cannot read ${path}: ${reason}`, { cause });
  }
}
