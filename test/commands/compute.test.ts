/** `prorata compute` as a caller sees it: its own process, over the demo fleet at a fixed time. */
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMAND } from '../support/command.ts';
import { compute } from '../../src/commands/compute.ts';
import { Misuse } from '../../src/terminal/flags.ts';
import { Fault } from '../../src/query/index.ts';
import { startBundleServer, type BundleServer } from '../support/servers/bundle-server.ts';
import { skipWithout } from '../support/servers/services.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const NOW = '2024-05-03T08:00:00Z';
const SETTINGS: readonly string[] = [`--now=${NOW}`, '--workers=1'];
/** Runs a command on a terminal; from util-linux. */
const SCRIPT = 'script';
/** What the demo's warnings are about. */
const WARNINGS =
  /^warning: volumes held by no claim: 1; [^\n]*\nwarning: containers that ran [^\n]*\n$/;
/** Nothing listens there. */
const UNREACHABLE = 'http://127.0.0.1:1';
const ENV: NodeJS.ProcessEnv = { ...process.env, PRORATA_NOW: NOW, WORKERS: '1', TERM: 'xterm' };

let folder = '';
let server: BundleServer | undefined;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'prorata-compute-'));
  server = await startBundleServer(SETTINGS);
});
after(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[]): ChildProcess {
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return spawn(process.execPath, [COMMAND, 'compute', ...args], { env: ENV, stdio: [...stdio] });
}

async function outcome(child: ChildProcess): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

const run = (...args: readonly string[]): Promise<Outcome> => outcome(start(args));

/** A store that accepts connections and never answers. */
async function silentStore(): Promise<{ url: string; called: Promise<unknown>; server: Server }> {
  const silent = createServer((socket: Socket) => void socket.on('error', () => undefined));
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, called: once(silent, 'connection'), server: silent };
}

describe('prorata compute', { concurrency: 2 }, () => {
  test('piped standard output has the answer of the endpoint and nothing else', async () => {
    const { code, stdout, stderr } = await run('--window=3h', '--aggregate', 'namespace');
    assert.equal(code, 0, stderr);
    assert.match(stderr, WARNINGS);
    assert.equal(stdout, (await server?.compute('window=3h&aggregate=namespace'))?.text);
  });

  test('wrong usage ends with 2 and says why on standard error', async () => {
    const { code, stdout, stderr } = await run('--windw=3h');
    assert.deepEqual([code, stdout], [2, '']);
    assert.equal(stderr, "prorata: unknown flag: '--windw'\ndid you mean '--window'?\n");
  });

  test('an error ends with 1, says why on standard error, and leaves the old file', async () => {
    const own = await mkdtemp(join(folder, 'failed-'));
    const file = join(own, 'a.json');
    await writeFile(file, 'old');
    const { code, stdout, stderr } = await run(
      '--window=3h',
      `--metrics-url=${UNREACHABLE}`,
      '-o',
      file,
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^prorata: cannot read .*127\.0\.0\.1:1.*refused/);
    assert.deepEqual([await readFile(file, 'utf8'), await readdir(own)], ['old', ['a.json']]);
  });

  test('Ctrl-C ends with 130 and leaves neither a file nor a part of one', async () => {
    const own = await mkdtemp(join(folder, 'interrupted-'));
    const store = await silentStore();
    const child = start(['--window=3h', `--metrics-url=${store.url}`, '-o', join(own, 'a.json')]);
    const ended = outcome(child);
    await store.called;
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    store.server.close();
    assert.deepEqual([code, stdout, stderr], [130, '', 'prorata: interrupted\n']);
    assert.deepEqual(await readdir(own), []);
  });

  test('a reader that leaves ends it quietly', async () => {
    const child = start(['--window=6h', '--step=10m']);
    const ended = outcome(child);
    child.stdout?.once('data', () => child.stdout?.destroy());
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [141, '']);
  });

  test(
    'on a terminal progress is drawn, and removed before the end',
    { skip: skipWithout(SCRIPT) },
    async () => {
      const file = join(folder, 'terminal.json');
      const command = `'${process.execPath}' '${COMMAND}' compute --window 3h -o '${file}'`;
      const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env: ENV });
      const { code, stdout } = await outcome(child);
      assert.equal(code, 0, stdout);
      assert.match(stdout, / reads {2}kube_pod_/);
      const last = stdout.slice(stdout.lastIndexOf('\r\u001b[2K'));
      assert.match(last.slice(5), WARNINGS);
      assert.equal((JSON.parse(await readFile(file, 'utf8')) as { code: number }).code, 200);
    },
  );
});

describe('the command itself', () => {
  test('sets, keys and resolution are read like those of the endpoint', async () => {
    const file = join(folder, 'sets.json');
    const flags = [
      '--window=3h',
      '--step=1h',
      '--aggregate',
      'pod,label:app',
      '--resolution=exact',
    ];
    await compute([...SETTINGS, ...flags, '--output', file]);
    const query = 'window=3h&step=1h&aggregate=pod,label:app&resolution=exact';
    assert.equal(await readFile(file, 'utf8'), (await server?.compute(query))?.text);
  });

  test('-o replaces the old file by the complete new one, and leaves no other file', async () => {
    const own = await mkdtemp(join(folder, 'whole-'));
    const file = join(own, 'week.csv');
    await writeFile(file, 'old');
    await compute([...SETTINGS, '--window=3h', '--format=csv', '-o', file]);
    assert.equal(
      await readFile(file, 'utf8'),
      (await server?.compute('window=3h&format=csv'))?.text,
    );
    assert.deepEqual(await readdir(own), ['week.csv']);
  });

  const MISUSE: readonly (readonly [args: readonly string[], message: RegExp, hint?: RegExp])[] = [
    [[], /^--window is missing: /, /^for example --window=24h$/],
    [['--window', '7x'], /^--window: '7x' is not a window/],
    [['--window', '3h', '--step=0'], /^--step: '0' is not a duration/, / --step=/],
    [['--window'], /^--window needs a value/],
    [['--window=3h', '--quiet=1'], /^--quiet takes no value/],
    [['--window=3h', '--workers=many'], /^--workers: 'many' is not a whole number/],
    [['3h'], /^unknown argument: '3h'/],
  ];
  for (const [args, message, hint = /^/] of MISUSE)
    test(`wrong usage is refused before anything is done: ${args.join(' ') || 'no window'}`, () =>
      assert.rejects(compute(args), (error: unknown) => {
        assert.ok(error instanceof Misuse, String(error));
        assert.match(error.message, message);
        assert.match(error.hint ?? '', hint);
        return true;
      }));

  test('a file that cannot be written is reported before the store is queried', () =>
    assert.rejects(
      compute(['--window=3h', `--metrics-url=${UNREACHABLE}`, '-o', '/nowhere/at/all.json']),
      { name: 'Unavailable', message: /^cannot write \/nowhere\/at\/all\.json: ENOENT/ },
    ));

  test('a window before the first sample is an error, not wrong usage', () =>
    assert.rejects(
      compute([...SETTINGS, '--window=2001-01-01T00:00:00Z,2001-01-02T00:00:00Z']),
      (error: unknown) => error instanceof Fault && !(error instanceof Misuse),
    ));
});
