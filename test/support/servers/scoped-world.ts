/** A server on days of the demo and bills, whose callers see rows by filters: as many as there are tokens. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillFolder } from '../recorded-answers.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';

export interface ScopedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
}

/** A caller's name: `admin` sees everything. */
export type As = string;

export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ScopedWorld {
  readonly server: ServerProcess;
  ask(as: As, question: Question): Promise<ScopedAnswer>;
  /** JSON of a question that all rows answer. */
  data(path: string): Promise<unknown>;
  /** Lets these callers in beside `admin`, all admins, who see the rows of their filters with idle, and none of those before. */
  admit(filters: Readonly<Record<As, string>>): Promise<void>;
  stop(): Promise<void>;
}

const CLOCK = ['--now=2024-05-03T08:00:00Z', '--timezone=UTC', '--workers=1'];

export async function startScopedWorld(): Promise<ScopedWorld> {
  const home = mkdtempSync(join(tmpdir(), 'prorata-scoped-'));
  await fillFolder(home, CLOCK);
  const write = (filters: Readonly<Record<As, string>>): void =>
    writeFileSync(join(home, 'tokens.yaml'), fileOf([['admin', null], ...Object.entries(filters)]));
  write({});
  const server = await startServerProcess(
    [
      ...CLOCK,
      '--data-dir=data',
      '--demo=true',
      '--refresh=0',
      '--cluster-controller=true',
      '--cost-events-audit=true',
      '--auth=tokens',
      '--tokens=tokens.yaml',
      // It is asked whether a file was read until that is so.
      '--failed-sign-ins=0',
    ],
    { cwd: home },
  );
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const ask: ScopedWorld['ask'] = (as, question) => answerOf(server.url, agent, as, question);
  return {
    server,
    ask,
    async data(path) {
      const { status, text } = await ask('admin', { path });
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return (JSON.parse(text) as { readonly data?: unknown }).data;
    },
    async admit(filters) {
      write(filters);
      const last = Object.keys(filters).at(-1) ?? 'admin';
      for (let i = 0; i < 200; i++) {
        if ((await ask(last, { path: '/whoami' })).status === 200) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`nobody is let in: ${server.lines.join('\n')}`);
    },
    async stop() {
      agent.destroy();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function fileOf(callers: readonly (readonly [as: As, filter: string | null])[]): string {
  const lines = callers.map(([as, filter]) => {
    const sha256 = createHash('sha256').update(tokenOf(as)).digest('hex');
    const rows = filter === null ? '' : `, filter: ${JSON.stringify(filter)}, idle: true`;
    return `- {name: ${as}, sha256: ${sha256}, roles: [admin]${rows}}\n`;
  });
  return lines.join('');
}

function tokenOf(as: As): string {
  return `token-of-${as}`;
}

function answerOf(
  url: string,
  agent: Agent,
  as: As,
  { method = 'GET', path, body, headers = {} }: Question,
): Promise<ScopedAnswer> {
  return new Promise((resolve, reject) => {
    const own =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const asked = request(
      `${url}${path}`,
      { method, agent, headers: { authorization: `Bearer ${tokenOf(as)}`, ...own, ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          const whole = Buffer.concat(parts);
          const { statusCode: status = 0, headers: told } = response;
          resolve({ status, headers: told, body: whole, text: whole.toString('utf8') });
        });
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The bytes without what is only told to who sees all rows. */
export function withoutNotes({ text, body, headers }: ScopedAnswer): Buffer {
  if (!String(headers['content-type']).startsWith('application/json')) return body;
  return Buffer.from(
    text
      .replace(/,"nodeCosts":\{[^{}]*\}/, '')
      .replace(/,"warnings":\[(?:"(?:[^"\\]|\\.)*",?)*\]/, '')
      .replace(/,"warningDetails":\[.*\],"uncertainCost":[\d.e-]+(?=(,"partial":true)?\}$)/, ''),
  );
}

/** The texts around the first character in which they differ. */
export function firstDifference(one: Buffer, other: Buffer): string {
  const [a, b] = [one.toString(), other.toString()];
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return [a, b].map((text) => text.slice(Math.max(0, at - 200), at + 200)).join('\n');
}
