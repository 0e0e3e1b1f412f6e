/** Servers of which the answers are recorded, how they are asked, and what of an answer is kept. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { COMMAND } from './command.ts';
import { bundleFolder } from '../../src/bundle.js';
import { filledOnce } from './filled-once.ts';
import { PUSH_TOKEN } from './stores/pushes.ts';
import { cloudBill, externalBill } from './recorded-bills.ts';
import type { RecordedRequest } from './recorded-request.ts';
import { startIssuer } from './servers/issuer.ts';
import { loginFlags } from './servers/login-world.ts';
import { startServerProcess, type ServerProcess } from './servers/server-process.ts';
import { FASTEST } from './front-end-names.ts';

/** What is kept of an answer. */
export interface RecordedAnswer {
  readonly status: number;
  /** Without those that every answer has; null: lacks one of these. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** Length of the body, not packed. */
  readonly bytes?: number;
  readonly sha256?: string;
  /** Instead of the hash, where it is short. */
  readonly body?: string;
}

export interface RecordedServers {
  /** Requests depend on those before them. */
  ask(asked: RecordedRequest): Promise<RecordedAnswer>;
  /** What servers logged as errors. */
  errors(): readonly unknown[];
  stop(): Promise<void>;
}

export interface RecordedOptions {
  readonly workers?: number;
  readonly frontEnd?: string;
  /** The file that names each parameter that a route has read, a line `METHOD /path name` each. */
  readonly parametersRead?: string;
  /** Moves the filled folder's sets elsewhere. */
  readonly moved?: (folder: string) => Promise<MovedSets> | MovedSets;
  /** Called with each answer as it came. */
  readonly whole?: (asked: RecordedRequest, answer: WholeAnswer) => void;
}

/** Where sets are served from. */
export interface MovedSets {
  readonly flags: readonly string[];
  /** Variables that it needs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer as it came, not packed. */
export interface WholeAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

const WATCH = new URL('../../scripts/parameter-watch.js', import.meta.url).href;

/** Relative, as entity tags are made of the paths of files. */
const DATA = '--data-dir=data';
const DEMO = '--demo=true';
const CLOCK = ['--now=2024-05-03T08:00:00Z', '--timezone=UTC'];

/** They are a client's business or of the moment. */
const LEFT_OUT = new Set(['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding']);
const EVERYWHERE: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
/** Compared also where the rest varies. */
const KINDS = new Set(['content-type', 'allow', 'content-encoding', 'vary']);
/** Each version of Node has another; all are as long. */
const TZDATA = /"tzdata":"\d{4}[a-z]"/;
const SHORT_BYTES = 300;
const SHORT_ERROR_BYTES = 1024;

/** A folder of built days and bills, one server on it, one without, and one where browsers sign in. */
export async function startRecordedServers(
  options: RecordedOptions = {},
): Promise<RecordedServers> {
  const { workers = 1, frontEnd = FASTEST } = options;
  const home = mkdtempSync(join(tmpdir(), 'prorata-recorded-'));
  const flags = [...CLOCK, `--workers=${workers}`];
  await fillFolder(home, flags);
  const moved = (await options.moved?.(join(home, 'data'))) ?? { flags: [] };
  const own = [...moved.flags, DATA, DEMO, '--cluster-controller=true', '--cost-events-audit=true', '--custom-cost-token-file=token']; // prettier-ignore
  const serving = [...flags, '--refresh=0', `--front-end=${frontEnd}`];
  const issuer = await startIssuer();
  const { parametersRead, whole } = options;
  const env =
    parametersRead === undefined
      ? {}
      : { NODE_OPTIONS: `--import=${WATCH}`, PARAMETERS_READ: parametersRead };
  const place = { cwd: home, env };
  const [filled, empty, login] = await Promise.all([
    startServerProcess([...serving, ...own], { cwd: home, env: { ...env, ...moved.env } }),
    startServerProcess(serving, place),
    startServerProcess([...serving, DEMO, ...loginFlags(home, issuer.url)], place),
  ]);
  const asking = new Asking({ filled, empty, login }, whole);
  return {
    ask: (asked) => asking.ask(asked),
    errors: () => [filled, empty, login].flatMap(({ errors }) => errors),
    async stop() {
      asking.end();
      await Promise.all([filled, empty, login].map((server) => server.stop()));
      await issuer.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Three days of the demo, and bills beside them. */
export async function fillFolder(home: string, flags: readonly string[]): Promise<void> {
  writeFileSync(join(home, 'token'), PUSH_TOKEN);
  const bills = [cloudBill(), externalBill()] as const;
  writeFileSync(join(home, 'cloud.csv'), bills[0]);
  writeFileSync(join(home, 'external.csv'), bills[1]);
  const cloud = ['cloud.csv', '--as=cloud', '--source=aws'];
  const external = ['external.csv', '--as=external', '--source=saas'];
  const common = ['--quiet', DATA, ...flags];
  const commands = [
    ['build', DEMO, '--window=3d', ...common],
    ['import', 'focus', ...cloud, ...common],
    ['import', 'focus', ...external, ...common],
  ];
  const key = [bundleFolder(), ...bills, ...commands.flat()];
  await filledOnce(join(home, 'data'), key, async () => {
    for (const command of commands) await run(home, command);
  });
}

async function run(home: string, args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'] },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  if (child.exitCode !== 0) throw new Error(`prorata ${args[0]} ended with ${child.exitCode}`);
}

/** What later requests need of earlier answers. */
class Asking {
  readonly #servers: Readonly<Record<RecordedRequest['server'], ServerProcess>>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #tags = new Map<string, string>();
  readonly #tagsOfIds = new Set<string>();
  /** By name: the id that was given, and what is kept instead. */
  readonly #ids = new Map<string, readonly [given: string, kept: string]>();

  readonly #whole: NonNullable<RecordedOptions['whole']>;

  constructor(
    servers: Readonly<Record<RecordedRequest['server'], ServerProcess>>,
    whole: RecordedOptions['whole'] = () => undefined,
  ) {
    this.#servers = servers;
    this.#whole = whole;
  }

  end(): void {
    this.#agent.destroy();
  }

  async ask(asked: RecordedRequest): Promise<RecordedAnswer> {
    const { server, path, headers = {}, isConditional = false, makes } = asked;
    const place = `${server}${path}`;
    const tag = isConditional ? { 'if-none-match': this.#tags.get(place) ?? '' } : {};
    const url = this.#servers[server].url;
    const [response, body] = await this.#exchange(url, asked, { ...headers, ...tag });
    const { etag, 'content-type': type = '' } = response.headers;
    this.#whole(asked, { status: response.statusCode ?? 0, type, body });
    if (etag !== undefined) this.#tags.set(place, etag);
    if (makes !== undefined) this.#name(makes, body);
    const kept = this.#withKeptIds(body);
    if (etag !== undefined && !kept.equals(body)) this.#tagsOfIds.add(etag);
    const isOfIds = this.#tagsOfIds.has(etag ?? '');
    const told = Object.entries(response.headers).map(
      ([name, value]) =>
        [name, name === 'etag' && isOfIds ? 'made of an id' : String(value)] as const,
    );
    return answerOf(asked, response.statusCode ?? 0, new Map(told), kept);
  }

  #exchange(
    url: string,
    { method, path, body }: RecordedRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<readonly [IncomingMessage, Buffer]> {
    const given = path.replace(
      /\{(\w+)\}/g,
      (whole, name: string) => this.#ids.get(name)?.[0] ?? whole,
    );
    const ofBody =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const options = {
        method,
        path: given,
        headers: { ...ofBody, ...headers },
        agent: this.#agent,
      };
      const exchange = request(url, options, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve([response, unpacked(response, Buffer.concat(parts))]));
      });
      exchange.on('error', (cause) => reject(new Error(`${method} ${path} broke`, { cause })));
      exchange.end(body);
    });
  }

  #name(name: string, body: Buffer): void {
    const { id } = JSON.parse(body.toString('utf8')) as { readonly id?: string };
    if (id === undefined) throw new Error(`${name} was not made: ${body.toString('utf8')}`);
    const number = String(this.#ids.size + 1).padStart(12, '0');
    this.#ids.set(name, [id, `00000000-0000-4000-8000-${number}`]);
  }

  #withKeptIds(body: Buffer): Buffer {
    let text = body.toString('latin1');
    for (const [given, kept] of this.#ids.values()) text = text.replaceAll(given, kept);
    text = text.replace(TZDATA, '"tzdata":"2025c"');
    return Buffer.from(text, 'latin1');
  }
}

/** What zlib makes of a body depends on its version and the processor. */
function unpacked({ headers }: IncomingMessage, body: Buffer): Buffer {
  return headers['content-encoding'] === 'gzip' && body.length > 0 ? gunzipSync(body) : body;
}

function answerOf(
  { varies }: RecordedRequest,
  status: number,
  told: ReadonlyMap<string, string>,
  body: Buffer,
): RecordedAnswer {
  const lacking = Object.keys(EVERYWHERE).filter((name) => !told.has(name));
  const own = [...told]
    .filter(([name, value]) => !LEFT_OUT.has(name) && EVERYWHERE[name] !== value)
    .filter(([name]) => varies === undefined || KINDS.has(name));
  const sorted = [...own, ...lacking.map((name) => [name, null] as const)];
  const headers = Object.fromEntries(sorted.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  if (varies !== undefined) return { status, headers };
  const text = body.toString('utf8');
  const isShort = body.length <= (status >= 400 ? SHORT_ERROR_BYTES : SHORT_BYTES);
  const isText = Buffer.from(text, 'utf8').equals(body) && !text.includes('\0');
  if (isShort && isText) return { status, headers, bytes: body.length, body: text };
  const sha256 = createHash('sha256').update(body).digest('hex');
  return { status, headers, bytes: body.length, sha256 };
}

/** For sets whose names the place gave them: tags are made of names. */
export function withoutTag({ headers, ...rest }: RecordedAnswer): object {
  const others = Object.entries(headers).filter(([name]) => name !== 'etag');
  return { ...rest, headers: Object.fromEntries(others) };
}
