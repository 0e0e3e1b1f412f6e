/**
 * The image without a builder: its Dockerfile's own steps lay out the same tree in an empty folder, and
 * what it starts runs there as a user who may write to the volume alone. Packages and kernels that are
 * built already are taken from here; all else is made by the steps.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stagesOf, type Stage, type Step } from '../support/dockerfile.ts';
import { digestOf, entriesOf } from '../support/file-tree.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'prorata-image-'));
const [built, image] = [join(home, 'built'), join(home, 'image')];
const stages = stagesOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));
const [build, last] = stages as [Stage, Stage];
const USER = 65_532;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: USER, gid: USER } : {};
/** The base image has 141 to 180 MB, as others measured it; together at most 250. */
const TREE_BYTES_MAX = 60e6;
/** Made by `npm run prepare` here, of the same sources: half a minute of work. */
const KERNELS = ['kernels.wasm', 'text/powers-of-ten.ts', 'text/decimal-tables.ts'];

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
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    return;
  }
  assert.equal(program, 'node');
  if (others[0] === 'scripts/prepare.js') takeKernels(cwd);
  const args = others.map((word) => (word.startsWith('/') ? placed(root, word) : word));
  execFileSync(process.execPath, args, { cwd, env: { PATH: process.env['PATH'], ...env } });
}

function takeKernels(cwd: string): void {
  for (const name of KERNELS) {
    const path = join('workers/kernels', name);
    cpSync(join(ROOT, path), join(cwd, path), { preserveTimestamps: true });
  }
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

/** Whether the image's user can make a file there. */
function isWritten(folder: string): boolean {
  const script = `require('fs').writeFileSync(${JSON.stringify(join(image, folder, 'x'))}, '')`;
  return spawnSync(process.execPath, ['-e', script], asUser).status === 0;
}

let child: ChildProcess | undefined;

/** What the image starts, as its user. @returns the server's address */
async function start(settings: Record<string, string>): Promise<string> {
  const words = [
    ...(JSON.parse(said(last, 'ENTRYPOINT')) as string[]),
    ...(JSON.parse(said(last, 'CMD')) as string[]),
  ];
  const [, ...args] = words.map((word) => (word.startsWith('/') ? join(image, word) : word));
  const own = Object.entries(sets(last)).map(([name, value]) => [
    name,
    value.startsWith('/') ? join(image, value) : value,
  ]);
  const env = { ...(Object.fromEntries(own) as Record<string, string>), ...settings };
  child = spawn(process.execPath, args, {
    cwd: image,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...asUser,
  });
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
  assert.match(last.base, /^gcr\.io\/distroless\/nodejs20-debian12:nonroot$/);
  assert.match(build.base, /^node:20\.\d+\.\d+-bookworm-slim$/);
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

test('S-16: the tree has what runs and nothing else, and nobody but its owner may write it', () => {
  const entries = entriesOf(join(image, 'app'));
  const names = entries.filter(({ isFolder }) => !isFolder).map(({ path }) => path);
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  assert.ok(bytes > 10e6 && bytes <= TREE_BYTES_MAX, `${bytes} bytes`);
  const packages = readdirSync(join(image, 'app/node_modules')).toSorted();
  assert.deepEqual(packages, [
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
  assert.deepEqual(
    native.map((name) => basename(name)),
    [`uws_${process.platform}_${process.arch}_${process.versions.modules}.node`],
  );
  assert.deepEqual(
    names.filter((name) => /\.ts$|(^|\/)tests?\//.test(name)),
    [],
  );
  const odd = entries.filter(({ mode, isFolder }) => mode !== (isFolder ? 0o755 : 0o644));
  assert.deepEqual(odd, []);
});

test('the same sources give the same tree, with times of SOURCE_DATE_EPOCH', () => {
  const again = join(home, 'again');
  const cwd = placed(built, '.');
  for (const step of build.steps) {
    if (step.does !== 'run' || !step.words.includes('/image')) continue;
    const args = step.words.slice(1).map((word) => (word === '/image' ? again : word));
    execFileSync(process.execPath, args, { cwd, env: { SOURCE_DATE_EPOCH: '1700000000' } });
  }
  assert.ok(entriesOf(again).every(({ seconds }) => seconds === 1_700_000_000));
  rmSync(again, { recursive: true });
  run(['node', '--import', 'tsx', 'scripts/lay-out.ts', '/again'], built, {});
  assert.equal(digestOf(join(built, 'again/app')), digestOf(join(built, 'image/app')));
});

test('S-16: as nobody, without a right to write but to the volume, it builds days and answers who signs in', async () => {
  const token = `prorata_${'a'.repeat(43)}`;
  const tokens = join(home, 'tokens.yaml');
  const sha256 = createHash('sha256').update(token).digest('hex');
  writeFileSync(tokens, `- {name: ann, sha256: ${sha256}, roles: [viewer]}\n`);
  setModes(0o555);
  assert.deepEqual(['app', 'app/src/bundle', '.', 'data'].map(isWritten), [
    false,
    false,
    false,
    true,
  ]);
  const before = digestOf(join(image, 'app'));
  const url = await start({
    HOST: '127.0.0.1',
    PORT: '0',
    AUTH: 'tokens',
    TOKENS_FILE: tokens,
    FRONT_END: 'node',
    PRORATA_DEMO: 'true',
    RETENTION: '2d',
    DRAIN_DELAY: '0',
  });
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const path = '/model/allocation/compute?window=2h&aggregate=namespace';
  assert.equal((await fetch(url + path)).status, 401);
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 300));
  assert.match(text, /"kube-system"/);
  const sets = join(image, 'data/sets');
  const hasDays = (): boolean => existsSync(sets) && readdirSync(sets).length > 0;
  for (let tries = 0; tries < 10_000 && !hasDays(); tries++) await sleep(10);
  assert.ok(hasDays(), 'a day is stored in the volume');
  assert.equal(await stop(), 0);
  assert.equal(digestOf(join(image, 'app')), before, 'nothing but the volume is written');
});

test('the fast front end is in the image too', async () => {
  const url = await start({
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
