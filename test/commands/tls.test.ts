/** TLS as the server speaks it itself, asked by openssl: versions, certificates that change, and what is refused. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadFrontEnd } from '../../src/http/index.ts';
import { bytes, stream } from '../../src/http/reply.ts';
import type { HttpHandler } from '../../src/http/server.ts';
import { pause } from '../http/front-ends.ts';
import { requireService } from '../support/servers/services.ts';
import {
  parsed,
  startServerProcess,
  type ServerProcess,
} from '../support/servers/server-process.ts';
import { FRONT_END_NAMES } from '../support/front-end-names.ts';

const openssl = requireService('openssl');
const skip = openssl === undefined && 'openssl not installed';
const MIB = 2 ** 20;
const home = mkdtempSync(join(tmpdir(), 'prorata-tls-'));
after(() => rmSync(home, { recursive: true, force: true }));

interface Pair {
  readonly cert: string;
  readonly key: string;
}

function newPair(name: string, days: number = 90): Pair {
  const [cert, key] = [join(home, `${name}.crt`), join(home, `${name}.key`)];
  const subject = [
    '-days',
    String(days),
    '-subj',
    `/CN=${name}`,
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, ...subject];
  execFileSync(openssl ?? '', args, { stdio: 'ignore' });
  return { cert, key };
}

const pairs: Record<string, Pair> = {};
before(() => {
  if (openssl === undefined) return;
  for (const name of ['one', 'two', 'three']) pairs[name] = newPair(name);
  pairs['soon'] = newPair('soon', 3);
});

function pairOf(name: string): Pair {
  const pair = pairs[name];
  assert.ok(pair !== undefined);
  return pair;
}

/** A folder as Kubernetes has a secret: files are links into a folder whose link is exchanged. */
class Secret {
  readonly cert: string;
  readonly key: string;
  readonly #folder: string;
  #count = 0;

  constructor(name: string, pair: Pair) {
    this.#folder = join(home, name);
    mkdirSync(this.#folder);
    this.cert = join(this.#folder, 'tls.crt');
    this.key = join(this.#folder, 'tls.key');
    symlinkSync('..data/tls.crt', this.cert);
    symlinkSync('..data/tls.key', this.key);
    this.put(pair);
  }

  put({ cert, key }: Pair): void {
    const name = `..${this.#count++}`;
    mkdirSync(join(this.#folder, name));
    copyFileSync(cert, join(this.#folder, name, 'tls.crt'));
    copyFileSync(key, join(this.#folder, name, 'tls.key'));
    symlinkSync(name, join(this.#folder, '..new'));
    renameSync(join(this.#folder, '..new'), join(this.#folder, '..data'));
  }

  get flags(): string[] {
    return [`--tls-cert=${this.cert}`, `--tls-key=${this.key}`];
  }
}

/** What openssl tells of a handshake. */
function handshake(port: number, ...args: string[]): string {
  const given = ['s_client', '-connect', `127.0.0.1:${port}`, ...args];
  const { stdout, stderr } = spawnSync(openssl ?? '', given, { input: 'Q\n', encoding: 'utf8' });
  return stdout + stderr;
}

async function untilShown(port: number, name: string): Promise<void> {
  for (let left = 100; left > 0; left--) {
    if (handshake(port).includes(`CN = ${name}`)) return;
    await pause(50);
  }
  assert.fail(`${name} is not shown:\n${handshake(port)}`);
}

async function untilLogged(server: ServerProcess, message: string): Promise<void> {
  for (let left = 200; left > 0; left--) {
    if (server.lines.flatMap(parsed).some(({ msg }) => msg === message)) return;
    await pause(50);
  }
  assert.fail(`not logged: ${message}`);
}

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly subject: string;
  readonly wasReused: boolean;
}

function ask(url: string, options: RequestOptions = {}): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { rejectUnauthorized: false, agent: false, ...options }, (response: IncomingMessage) => {
      const parts: Buffer[] = [];
      // Asked while it is connected.
      const subject = String((response.socket as TLSSocket).getPeerCertificate().subject.CN);
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(parts).toString(),
          subject,
          wasReused: asked.reusedSocket,
        }),
      );
    });
    asked.on('error', reject).end();
  }); // prettier-ignore
}

const VERSIONS: readonly (readonly [flag: string, isSpoken: boolean])[] = [
  ['-tls1', false],
  ['-tls1_1', false],
  ['-tls1_2', true],
  ['-tls1_3', true],
];

describe('TLS', { skip, concurrency: 2 }, () => {
  for (const frontEnd of FRONT_END_NAMES) {
    test(`S-14: ${frontEnd} speaks 1.2 and 1.3, shows a changed certificate, and keeps the last good one`, async () => {
      const secret = new Secret(`secret-${frontEnd}`, pairOf('one'));
      const server = await startServerProcess([
        '--refresh=0',
        '--workers=1',
        `--front-end=${frontEnd}`,
        ...secret.flags,
      ]);
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      try {
        assert.match(server.url, /^https:/);
        for (const [version, isSpoken] of VERSIONS) {
          const said = handshake(server.port, version, '-cipher', 'DEFAULT@SECLEVEL=0');
          assert.equal(/CN = one/.test(said), isSpoken, `${version}:\n${said}`);
        }
        const url = `${server.url}/healthz`;
        const first = await ask(url, { agent });
        assert.deepEqual([first.status, first.subject, first.wasReused], [200, 'one', false]);
        secret.put(pairOf('two'));
        await untilShown(server.port, 'two');
        // The connection from before goes on, with the certificate that it began with.
        const again = await ask(url, { agent });
        assert.deepEqual([again.status, again.subject, again.wasReused], [200, 'one', true]);
        assert.equal((await ask(url)).subject, 'two');
        secret.put({ cert: pairOf('three').cert, key: pairOf('one').key });
        const kept = 'the changed certificate cannot be used: the one before stays';
        await untilLogged(server, kept);
        assert.equal((await ask(url)).subject, 'two');
        const told = server.errors.find(({ msg }) => msg === kept);
        assert.match(String(told?.['reason']), /tls\.key is not that of the certificate in .*tls\.crt/);
        const { text } = await ask(`${server.url}/metrics`);
        const ends = Number(/^prorata_tls_certificate_not_after_timestamp_seconds (.*)$/m.exec(text)?.[1]);
        const shown = execFileSync(openssl ?? '', ['x509', '-in', pairOf('two').cert, '-noout', '-enddate'], { encoding: 'utf8' });
        assert.equal(ends * 1000, Date.parse(shown.replace('notAfter=', '')));
        assert.match(text, /^prorata_tls_reloads_total 1$/m);
        assert.match(text, /^prorata_tls_reload_failures_total 1$/m);
        secret.put(pairOf('three'));
        await untilShown(server.port, 'three');
      } finally {
        agent.destroy();
        assert.equal(await server.stop(), 0);
      }
    }); // prettier-ignore

    test(`the bytes of answers of ${frontEnd} are whole over TLS, for slow readers too`, async () => {
      const { cert, key } = pairOf('one');
      async function* chunks(count: number): AsyncGenerator<Uint8Array> {
        const chunk = new Uint8Array(MIB);
        for (let i = 0; i < count; i++) yield chunk.fill(i);
      }
      const whole = Buffer.alloc(9 * MIB, 'abcdefghijk');
      const handler: HttpHandler = ({ path }) =>
        path === '/whole'
          ? bytes('a/b', whole)
          : path.startsWith('/short')
            ? bytes('a/b', whole.subarray(0, Number(path.slice('/short'.length))))
            : stream('a/b', chunks(24));
      const load = await loadFrontEnd(frontEnd === 'uws' ? 'uws' : 'node');
      const logged: string[] = [];
      const log = (message: string, error: unknown): void => void logged.push(`${message} ${String(error)}`);
      const server = load(handler, { tls: { certFile: cert, keyFile: key }, log });
      const port = await server.listen('127.0.0.1', 0);
      const digest = (path: string, isSlow: boolean): Promise<string> =>
        new Promise((resolve, reject) => {
          const options = { rejectUnauthorized: false, agent: false };
          request(`https://127.0.0.1:${port}${path}`, options, (response) => {
            const hash = createHash('sha1');
            response.on('data', (part: Buffer) => {
              hash.update(part);
              if (!isSlow) return;
              response.pause();
              setTimeout(() => response.resume(), 1);
            });
            response.on('error', reject).on('end', () => resolve(hash.digest('hex')));
          })
            .on('error', reject)
            .end();
        });
      const sha1 = (parts: Iterable<Uint8Array>): string => {
        const hash = createHash('sha1');
        for (const part of parts) hash.update(part);
        return hash.digest('hex');
      };
      try {
        const streamed = sha1(Array.from({ length: 24 }, (_, i) => Buffer.alloc(MIB, i)));
        const jobs = [false, true, true].flatMap((isSlow) => [
          digest('/stream', isSlow).then((got) => assert.equal(got, streamed)),
          digest('/whole', isSlow).then((got) => assert.equal(got, sha1([whole]))),
        ]);
        for (const length of [1, 15_000, 15_360, 16_384, 16_385, 40_000]) {
          const got = await digest(`/short${length}`, false);
          assert.equal(got, sha1([whole.subarray(0, length)]), String(length));
        }
        await Promise.all(jobs);
        assert.deepEqual(logged, []);
      } finally {
        await server.close(0);
      }
    }); // prettier-ignore
  }

  test('a certificate that ends soon is warned of', async () => {
    const { cert, key } = pairOf('soon');
    const server = await startServerProcess(['--refresh=0', '--workers=1', `--tls-cert=${cert}`, `--tls-key=${key}`]);
    await untilLogged(server, 'the certificate ends soon, or has ended');
    assert.equal(await server.stop(), 0);
  }); // prettier-ignore

  test('what cannot be used is refused at the start, naming the file', async () => {
    const [one, two] = [pairOf('one'), pairOf('two')];
    const none = join(home, 'none.pem');
    const empty = join(home, 'empty.pem');
    writeFileSync(empty, '');
    const locked = join(home, 'locked.key');
    execFileSync(openssl ?? '', ['ec', '-in', one.key, '-aes128', '-passout', 'pass:x', '-out', locked], { stdio: 'ignore' });
    for (const [flags, said] of [
      [[`--tls-cert=${one.cert}`], /^prorata: --tls-cert is there without --tls-key/],
      [[`--tls-key=${one.key}`], /^prorata: --tls-key is there without --tls-cert/],
      [[`--tls-cert=${one.cert}`, `--tls-key=${two.key}`], /--tls-key: the key in .*two\.key is not that of the certificate in .*one\.crt/],
      [[`--tls-cert=${none}`, `--tls-key=${one.key}`], /--tls-cert: cannot read .*none\.pem/],
      [[`--tls-cert=${one.cert}`, `--tls-key=${none}`], /--tls-key: cannot read .*none\.pem/],
      [[`--tls-cert=${empty}`, `--tls-key=${one.key}`], /--tls-cert: .*empty\.pem does not hold a certificate/],
      [[`--tls-cert=${one.cert}`, `--tls-key=${locked}`], /--tls-key: .*locked\.key does not hold a private key/],
    ] as const) {
      const script = fileURLToPath(new URL('../../src/prorata.js', import.meta.url));
      const child = spawn(process.execPath, [script, 'serve', '--port=0', '--refresh=0', '--workers=1', ...flags]);
      let text = '';
      child.stderr.on('data', (part) => (text += String(part)));
      const code = await new Promise((resolve) => void child.on('close', resolve));
      assert.equal(code, 1, text);
      assert.match(text, said);
      assert.ok(!text.includes(readFileSync(one.key, 'utf8').split('\n')[1] ?? ''));
    }
  }); // prettier-ignore
});
