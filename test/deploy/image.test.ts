/**
 * The image without a builder: the steps of its Dockerfile lay out the same tree in an empty folder, and what
 * it starts runs on Node 24 in a Debian 13 root as the image's user. If that root cannot be made, it runs on
 * this machine and this Node.
 *
 * The gate performs the steps by this Node, with its packages, kernels and bundle. IMAGE_ROOT=1 performs them
 * by Node 24, from `npm ci` on, and runs the native engine of that version in the root.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stagesOf, type Stage, type Step } from '../support/dockerfile.ts';
import { bundleFolder } from '../../src/bundle.js';
import { buildFor } from '../../src/http/uws/builds.ts';
import { debianRoot, inRoot } from '../support/debian-root.ts';
import { digestOf, entriesOf } from '../support/file-tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'prorata-image-'));
const [built, image] = [join(home, 'built'), join(home, 'image')];
const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const [build, last] = stages as [Stage, Stage];
const USER = 65_532;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: USER, gid: USER } : {};
const isLong = process.env['IMAGE_ROOT'] === '1';
/** The version of Node that the Dockerfile builds with: the major version that it runs. */
const [, nodeVersion = ''] = /^node:([\d.]+)-trixie-slim$/.exec(build.base) ?? [];
const debian = debianRoot(nodeVersion);
const noDebian = typeof debian === 'string' ? debian : false;
const isLaidOutByNode24 = isLong && typeof debian !== 'string';
const builder = isLaidOutByNode24 ? join(debian.nodeFolder, 'bin/node') : process.execPath;
const builderPath = `${dirname(builder)}:${process.env['PATH'] ?? ''}`;
const [node = '', modules = ''] = execFileSync(
  builder,
  ['-p', 'process.versions.node + " " + process.versions.modules'],
  { encoding: 'utf8' },
)
  .trim()
  .split(' ');
/** The builder's native file. */
const NATIVE = buildFor({ platform: process.platform, arch: process.arch, node, modules }) ?? '';
/** The base image has 141 to 180 MB, as others measured it; together at most 250. */
const TREE_BYTES_MAX = 60e6;
/** Made by `npm run prepare` here, of the same sources: half a minute of work. */
const KERNELS = ['kernels.wasm', 'text/powers-of-ten.ts', 'text/decimal-tables.ts'];
const REUSED = [
  ...KERNELS.map((name) => join('workers/kernels', name)),
  ...(isLaidOutByNode24 ? [] : [relative(ROOT, bundleFolder())]),
];

const said = (stage: Stage, what: string): string =>
  stage.steps.flatMap((step) =>
    step.does === 'say' && step.what === what ? [step.text] : [],
  )[0] ?? '';
const sets = ({ steps }: Stage): Record<string, string> =>
  Object.fromEntries(
    steps.flatMap((step) => (step.does === 'set' ? [[step.name, step.value]] : [])),
  );

/** Where a path of the image is here. */
const placed = (root: string, path: string): string =>
  path.startsWith('/') ? join(root, path) : join(root, said(build, 'WORKDIR'), path);

/** As .dockerignore has it: what is left out last comes from here, not from whoever builds. */
function isSent(path: string): boolean {
  const name = posix.relative(ROOT, path);
  return !name.startsWith('workers/kernels/') || !KERNELS.includes(name.slice(16));
}

function copy(step: Extract<Step, { does: 'copy' }>, root: string): void {
  for (const path of step.paths) {
    const from = step.from === '' ? join(ROOT, path) : placed(built, path);
    const whole = placed(root, step.to);
    const to = step.to.endsWith('/') ? join(whole, basename(path)) : whole;
    cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: isSent });
    if (step.owner !== '' && isRoot)
      chownSync(to, ...(step.owner.split(':').map(Number) as [number, number]));
  }
}

function run(words: readonly string[], root: string, env: Record<string, string>): void {
  const [program = '', ...others] = words;
  const cwd = placed(root, '.');
  if (program === 'npm') {
    assert.deepEqual(others, ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    if (isLaidOutByNode24)
      execFileSync(program, others, { cwd, env: { ...process.env, PATH: builderPath } });
    else symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    return;
  }
  assert.equal(program, 'node');
  if (others[0] === 'scripts/prepare.js') reuse(cwd);
  const args = others.map((word) => (word.startsWith('/') ? placed(root, word) : word));
  execFileSync(builder, args, { cwd, env: { PATH: builderPath, ...env } });
}

function reuse(cwd: string): void {
  for (const path of REUSED)
    if (existsSync(join(ROOT, path)))
      cpSync(join(ROOT, path), join(cwd, path), { recursive: true, preserveTimestamps: true });
}

function perform(stage: Stage, root: string): void {
  mkdirSync(placed(root, '.'), { recursive: true });
  const env = sets(stage);
  for (const step of stage.steps) {
    if (step.does === 'copy') copy(step, root);
    if (step.does === 'run') run(step.words, root, env);
  }
}

/** Where tests run as the files' owner, who has another user's rights only without this one. */
function setModes(mode: number): void {
  if (isRoot) return;
  for (const { path } of entriesOf(join(image, 'app'))) chmodSync(join(image, 'app', path), mode);
  for (const path of ['.', 'app']) chmodSync(join(image, path), mode);
}

/** Where the tree runs: paths of the image there, and a command of the image as one of this machine. */
interface Place {
  readonly at: (path: string) => string;
  readonly command: (words: readonly string[]) => string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

const here: Place = {
  at: (path) => join(image, path),
  command: ([, ...args]) => [process.execPath, ...args],
  options: asUser,
};
const inDebian: Place = {
  at: (path) => path,
  command: (words) => {
    if (typeof debian === 'string') return assert.fail(debian);
    const mounts = [
      { from: join(image, 'app'), to: '/app' },
      { from: join(image, 'data'), to: '/data', isWritable: true },
    ];
    return inRoot(debian, USER, mounts, words);
  },
  options: {},
};
const NODE = '/nodejs/bin/node';
/** As the base has it; it also finds what enters the root. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Whether the image's user can write a file there, or the code of the error. */
function writing({ at, command, options }: Place, folders: readonly string[]): string[] {
  const script = `const fs = require('node:fs');
    for (const path of ${JSON.stringify(folders.map((folder) => at(`${folder}/x`)))})
      try { fs.writeFileSync(path, ''); fs.unlinkSync(path); console.log('ok'); }
      catch (error) { console.log(error.code); }`;
  const [program = '', ...args] = command([NODE, '-e', script]);
  const { stdout } = spawnSync(program, args, { ...options, env: { PATH }, encoding: 'utf8' });
  return stdout.trim().split('\n');
}

let child: ChildProcess | undefined;

/** What the image starts, as its user. @returns the server's address */
async function start(place: Place, settings: Record<string, string>): Promise<string> {
  const words = [
    ...(JSON.parse(said(last, 'ENTRYPOINT')) as string[]),
    ...(JSON.parse(said(last, 'CMD')) as string[]),
  ];
  const located = (text: string): string => (text.startsWith('/') ? place.at(text) : text);
  const [node = '', ...others] = words;
  const [program = '', ...args] = place.command([node, ...others.map(located)]);
  const own = Object.entries(sets(last)).map(([name, value]) => [name, located(value)]);
  const env = { PATH, ...(Object.fromEntries(own) as Record<string, string>), ...settings };
  const stdio = ['ignore', 'ignore', 'pipe'] as const;
  child = spawn(program, args, { cwd: image, env, stdio: [...stdio], ...place.options });
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr as NodeJS.ReadableStream)) {
    lines.push(line);
    if (!line.includes('prorata is listening')) continue;
    child.stderr?.resume();
    return (JSON.parse(line) as { url: string }).url;
  }
  return assert.fail(lines.join('\n'));
}

async function stop(): Promise<number | null> {
  if (child === undefined || child.exitCode !== null) return child?.exitCode ?? null;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
  return child.exitCode;
}

before(() => {
  chmodSync(home, 0o755);
  perform(build, built);
  perform(last, image);
});
after(async () => {
  child?.kill('SIGKILL');
  await stop();
  setModes(0o755);
  rmSync(home, { recursive: true, force: true });
});

test('S-16: the image is of a base without a shell, and its user is nobody', () => {
  assert.match(last.base, /^gcr\.io\/distroless\/nodejs24-debian13:nonroot$/);
  assert.match(build.base, /^node:24\.\d+\.\d+-trixie-slim$/);
  assert.equal(said(last, 'USER'), `${USER}:${USER}`);
  assert.equal(said(last, 'VOLUME'), sets(last)['DATA_DIR']);
  assert.ok(
    last.steps.every(({ does }) => does !== 'run'),
    'nothing runs in the last stage',
  );
  assert.throws(() => stagesOf('FROM a\nRUN curl x | sh\n'), /not simple/);
});

test('builders are sent what the Dockerfile copies, and nothing else', () => {
  const lines = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
  const sent = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const copied = build.steps.flatMap((step) => (step.does === 'copy' ? step.paths : []));
  assert.deepEqual(sent.toSorted(), copied.toSorted());
  assert.ok(lines.includes('*'));
});

/** V8's code, which differs from run to run. */
const isCompiled = (path: string): boolean => /^compiled(\/|$)/.test(path);

test('S-16: the tree has what runs and nothing else, and nobody but its owner may write it', () => {
  const entries = entriesOf(join(image, 'app')).filter(({ path }) => !isCompiled(path));
  const names = entries.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  assert.ok(bytes > 10e6 && bytes <= TREE_BYTES_MAX, `${bytes} bytes`);
  const packages = readdirSync(join(image, 'app/node_modules'));
  assert.deepEqual(packages.filter((name) => !name.startsWith('@')).toSorted(), [
    'ajv',
    'fast-deep-equal',
    'fast-uri',
    'highs',
    'json-schema-traverse',
    'luxon',
    'node-sqlite3-wasm',
    'piscina',
    'require-from-string',
    'uWebSockets.js',
    'yaml',
  ]);
  const native = names.filter((name) => name.endsWith('.node'));
  assert.deepEqual(native, [`node_modules/${NATIVE}`]);
  const scoped = packages.filter((name) => name.startsWith('@'));
  assert.deepEqual(scoped, NATIVE.startsWith('@') ? ['@uwsjs'] : []);
  assert.deepEqual(
    names.filter((name) => /\.ts$|(^|\/)tests?\//.test(name)),
    [],
  );
  for (const name of ['LICENSE', 'THIRD_PARTY_NOTICES']) assert.ok(names.includes(name), name);
  const odd = entries.filter(({ mode, isFolder }) => mode !== (isFolder ? 0o755 : 0o644));
  assert.deepEqual(odd, []);
});

test('the same sources give the same tree, with times of SOURCE_DATE_EPOCH', () => {
  const seconds = 1_700_000_000;
  assert.ok(entriesOf(join(built, 'image')).every((entry) => entry.seconds === 0));
  const [words = []] = build.steps.flatMap((step) =>
    step.does === 'run' && step.words.includes('/image') ? [step.words] : [],
  );
  const again = words.map((word) => (word === '/image' ? '/again' : word));
  run(again, built, { SOURCE_DATE_EPOCH: String(seconds) });
  rmSync(join(built, 'image/app/compiled'), { recursive: true, force: true });
  assert.ok(entriesOf(join(built, 'again')).every((entry) => entry.seconds === seconds));
  assert.equal(digestOf(join(built, 'again/app'), 0), digestOf(join(built, 'image/app')));
});

const TOKEN = `prorata_${'a'.repeat(43)}`;

/** Builds a day, and answers: alive, without a token, a right query and a wrong one. */
async function serves(place: Place): Promise<void> {
  const sha256 = createHash('sha256').update(TOKEN).digest('hex');
  const tokens = `- {name: ann, sha256: ${sha256}, roles: [viewer]}\n`;
  writeFileSync(join(image, 'data/tokens.yaml'), tokens);
  const before = digestOf(join(image, 'app'));
  const url = await start(place, {
    HOST: '127.0.0.1',
    PORT: '0',
    AUTH: 'tokens',
    TOKENS_FILE: place.at('/data/tokens.yaml'),
    FRONT_END: 'node',
    PRORATA_DEMO: 'true',
    RETENTION: '2d',
    DRAIN_DELAY: '0',
  });
  const headers = { authorization: `Bearer ${TOKEN}` };
  const path = '/model/allocation/compute?aggregate=namespace&window=';
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}${path}2h`)).status, 401);
  assert.equal((await fetch(`${url}${path}7x`, { headers })).status, 400);
  const answer = await fetch(`${url}${path}2h`, { headers });
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 300));
  assert.match(text, /"kube-system"/);
  const sets = join(image, 'data/sets');
  const hasDays = (): boolean => existsSync(sets) && readdirSync(sets).length > 0;
  for (let tries = 0; tries < 10_000 && !hasDays(); tries++) await sleep(10);
  assert.ok(hasDays(), 'a day is stored in the volume');
  assert.equal(await stop(), 0);
  assert.equal(digestOf(join(image, 'app')), before, 'only the volume is written');
}

test(
  'S-16: in a Debian 13 root that is read-only, as user 65532, it builds days and answers callers that sign in',
  { skip: noDebian },
  async () => {
    const folders = ['', '/app', '/app/src/bundle', '/tmp', '/data'];
    assert.deepEqual(writing(inDebian, folders), ['EROFS', 'EROFS', 'EROFS', 'EROFS', 'ok']);
    await serves(inDebian);
  },
);

if (noDebian !== false)
  test('S-16: on this machine, without a right to write but to the volume, it does the same', async () => {
    setModes(0o555);
    const folders = ['', '/app', '/app/src/bundle', '/data'];
    assert.deepEqual(writing(here, folders), ['EACCES', 'EACCES', 'EACCES', 'ok']);
    await serves(here);
  });

if (isLong) {
  const skip = noDebian;

  test('the native engine of Node 24 serves in the Debian 13 root', { skip }, async () => {
    const url = await start(inDebian, {
      HOST: '127.0.0.1',
      PORT: '0',
      FRONT_END: 'uws',
      REFRESH: '0',
      PRORATA_DEMO: 'true',
      DRAIN_DELAY: '0',
    });
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal(await stop(), 0);
  });

  test('V8 finds the code of modules in the image', { skip }, () => {
    const [program = '', ...args] = inDebian.command([NODE, '/app/src/bundle/main.js', '--help']);
    const env = { PATH, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const { stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    const accepted = stderr.split('\n').filter((line) => line.includes(' was accepted'));
    assert.ok(accepted.length >= 10, `${accepted.length} of ${stderr.slice(0, 2000)}`);
  });

  test('both front ends of Node 24 refuse malformed heads in the Debian 13 root', { skip }, () => {
    if (typeof debian === 'string') return assert.fail(debian);
    const file = '/project/test/http/malformed-heads.test.ts';
    const loader = '--import=file:///project/node_modules/tsx/dist/esm/index.mjs';
    const words = [NODE, loader, '--test', '--test-reporter=tap'];
    const mounts = [
      { from: ROOT, to: '/project' },
      { from: placed(built, 'node_modules'), to: '/project/node_modules' },
      { from: join(image, 'data'), to: '/data', isWritable: true },
    ];
    const [program = '', ...args] = inRoot(debian, 0, mounts, [...words, file]);
    const env = { PATH, TMPDIR: '/data' };
    const { status, stdout } = spawnSync(program, args, { env, encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /# fail 0\n/);
    assert.match(stdout, /# skipped 0\n/);
    assert.match(stdout, /ok \d+ - the front end uws and damaged heads\n/);
  });
}
