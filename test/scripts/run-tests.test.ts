/** The runner over planted test files, in a process of its own: node:test does not nest. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { asSuite, bundleTests, groupSource } from '../../scripts/bundle-tests.ts';
import { plainScript } from '../support/servers/plain-script.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'prorata-run-tests-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const script = fileURLToPath(new URL('../../scripts/run-tests.ts', import.meta.url));
const RUNNER = pathToFileURL(await plainScript(script, folder)).href;

/** @returns the exit code, 0 when the runner says that all is well, and what it printed */
async function run(
  files: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
  parts?: readonly string[],
): Promise<readonly [number, string]> {
  const paths = Object.entries(files).map(([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, `import { describe, test } from 'node:test';\n${text}`);
    return path;
  });
  const options = JSON.stringify({ files: paths, processes: 2, flags }).slice(1, -1);
  const sources = JSON.stringify(parts === undefined ? [] : [[paths[0], parts]]);
  const source = `import { runTests } from '${RUNNER}';
    const isWell = await runTests({ ${options}, sources: new Map(${sources}) });
    if (!isWell) process.exitCode = 1;`;
  const main = join(folder, 'main.mjs');
  writeFileSync(main, source);
  const child = spawn(process.execPath, [main], {
    cwd: ROOT,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await once(child, 'close');
  return [child.exitCode ?? -1, said];
}

test('passed and skipped tests are well, and each skip is named with its reason', async () => {
  const [code, said] = await run({
    'one.test.mjs': `test('first', () => {}); test('second', { skip: 'no store' }, () => {});`,
    'two.test.mjs': `describe('all', { skip: 'no browser' }, () => { test('third', () => {}); });
      test('fourth', (t) => { t.skip(); });`,
  });
  assert.equal(code, 0, said);
  assert.match(said, /^ok +.*one\.test\.mjs: 2 tests, 1 skipped, [\d.]+ s$/m);
  assert.match(said, /^# tests 3$/m);
  assert.match(said, /^# pass 1$/m);
  assert.match(said, /^# fail 0$/m);
  assert.match(said, /^skipped:$/m);
  assert.match(said, /^ {2}.*one\.test\.mjs: second \(no store\)$/m);
  assert.match(said, /^ {2}.*two\.test\.mjs: all \(no browser\)$/m);
  assert.match(said, /^ {2}.*two\.test\.mjs: fourth \(no reason given\)$/m);
});

test('each way to fail is named, with what the file said', async () => {
  const [code, said] = await run({
    'fails.test.mjs': `test('sums', () => { console.log('before'); throw new Error('is 3'); });`,
    'breaks.test.mjs': `throw new Error('cannot load');`,
    'empty.test.mjs': `void test;`,
    'quits.test.mjs': `test('ends', () => {});
      test('hangs', async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        process.exit(0);
      });`,
  });
  assert.equal(code, 1, said);
  assert.match(said, /^FAILED sums \(line 2\)\n {4}Error: is 3\n/m);
  assert.match(said, /^ {4}before\nFAILED .*fails\.test\.mjs: 1 tests/m);
  assert.match(said, /^ {4}Error: cannot load$/m);
  assert.match(said, /^nothing was skipped$/m);
  const [, failed = ''] = said.split('\nfailed:\n');
  assert.deepEqual(
    failed
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^.*\//, ''))
      .toSorted(),
    [
      'breaks.test.mjs: test failed, exit code 1',
      'empty.test.mjs: has no tests',
      'fails.test.mjs: sums',
      'quits.test.mjs: 1 tests never ended',
    ],
  );
});

test('the line of a failed test is that of its source, where a map beside the file tells it', async () => {
  // Line 2 of the file is line 7 of its source.
  const map = { version: 3, sources: ['source.ts'], names: [], mappings: ';AAMA' };
  writeFileSync(join(folder, 'mapped.test.mjs.map'), JSON.stringify(map));
  const [, said] = await run({
    'mapped.test.mjs': `test('sums', () => { throw new Error('is 3'); });`,
  });
  assert.match(said, /^FAILED sums \(line 7\)$/m);
});

test('files that share a process are reported as if each had its own', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => join(folder, `${name}.test.mjs`));
  const parts = Object.fromEntries(
    [
      `test('first', () => {}); test('second', () => { throw new Error('is 3'); });`,
      `throw new Error('cannot load');`,
      `describe('all', () => { test('third', () => {}); });`,
      `void test;`,
      `test('hangs', async () => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        process.exit(0);
      });`,
    ].map((text, index) => [names[index] ?? '', text]),
  );
  for (const [path, text] of Object.entries(parts))
    writeFileSync(path, `import { describe, test } from 'node:test';\n${text}`);
  const [code, said] = await run({ 'group.mjs': groupSource(names) }, undefined, names);
  assert.equal(code, 1, said);
  assert.match(said, /^FAILED second \(line \d\)\n {4}Error: is 3\n/m);
  assert.match(said, /^FAILED .*a\.test\.mjs: 2 tests/m);
  assert.match(said, /^ {4}Error: cannot load$/m);
  assert.match(said, /^ok +.*c\.test\.mjs: 1 tests, [\d.]+ s$/m);
  const [, failed = ''] = said.split('\nfailed:\n');
  assert.deepEqual(
    failed
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^.*\//, ''))
      .toSorted(),
    [
      'a.test.mjs: second',
      'b.test.mjs: has no tests',
      'd.test.mjs: has no tests',
      'e.test.mjs: 1 tests never ended',
    ],
  );
});

test('hooks of a file that shares a process run around its own tests alone', async () => {
  const hooks = `import { after, before, test } from 'node:test';
    let open = false;
    before(() => { if (globalThis.isOpen) throw new Error('the other is open'); globalThis.isOpen = open = true; });
    after(() => { globalThis.isOpen = open = false; });
    test('is open', () => { if (!open) throw new Error('is closed'); });`;
  const late = `import { test } from 'node:test'; /* of both */
    await new Promise((resolve) => setTimeout(resolve, 10));
    test('waits', () => {});`;
  const texts = [hooks, hooks, late, `void 0;`, `throw new Error('cannot load');`];
  const names = texts.map((text, index) => {
    const path = join(folder, `suite-${index}.test.mjs`);
    writeFileSync(path, asSuite(`suite-${index}`, text));
    return path;
  });
  const [code, said] = await run({ 'suites.mjs': groupSource(names) }, undefined, names);
  assert.equal(code, 1, said);
  for (const index of [0, 1, 2])
    assert.match(said, new RegExp(`^ok +.*suite-${index}\\.test\\.mjs: 1 tests`, 'm'));
  assert.match(said, /^FAILED .*suite-3\.test\.mjs: 0 tests/m);
  assert.match(said, /^ {4}Error: cannot load$/m);
  assert.match(said, /^FAILED .*suite-4\.test\.mjs: 0 tests/m);
});

test('a suite that several files run is in the bundle of each, as tests count for the file of their call', async () => {
  const paths = ['test/storage/sets.test.ts', 'test/storage/objects/sets.test.ts'];
  const { files, remove } = await bundleTests(paths.map((path) => [join(ROOT, path)]));
  try {
    for (const file of files)
      assert.match(readFileSync(file, 'utf8'), /a set of no rows, and one of no columns, are sets/);
  } finally {
    remove();
  }
});

test('a shared process that ends before its last file is loaded says how it ended, and why', async () => {
  const [fine, waits] = ['fine', 'waits'].map((name) => join(folder, `${name}.test.mjs`));
  writeFileSync(fine ?? '', `import { test } from 'node:test';\ntest('passes', () => {});`);
  writeFileSync(waits ?? '', `console.error('opens it');\nawait new Promise(() => {});`);
  const names = [fine ?? '', waits ?? ''];
  const [code, said] = await run({ 'waiting.mjs': groupSource(names) }, undefined, names);
  assert.equal(code, 1, said);
  assert.match(said, /^ {4}opens it$/m);
  assert.match(said, /^ {2}.*waits\.test\.mjs: test failed, exit code 13$/m);
});

test('an error after the tests have passed fails their process, and is shown', async () => {
  const [code, said] = await run({
    'late.test.mjs': `describe('early', () => { test('passes', () => { setTimeout(() => { throw new Error('comes late'); }, 20); }); });
      test('waits', () => new Promise((resolve) => setTimeout(resolve, 200)));`,
  });
  assert.equal(code, 1, said);
  assert.match(said, /^ {2}Error: .*comes late/m);
});

test('a unit test that would open something fails, and says what', async () => {
  const opened = {
    spawn: `import { spawn } from 'node:child_process'; test('a', () => spawn('true'));`,
    listen: `import { createServer } from 'node:http'; test('a', () => createServer().listen(0));`,
    connect: `import { connect } from 'node:net'; test('a', () => connect(9));`,
    thread: `import { Worker } from 'node:worker_threads'; test('a', () => new Worker('0', { eval: true }));`,
    fetch: `test('a', () => fetch('http://127.0.0.1:9'));`,
  };
  const files = Object.entries(opened).map(([name, text]) => [`${name}.test.mjs`, text]);
  const guard = new URL('../../scripts/unit-guard.js', import.meta.url).href;
  const [code, said] = await run(Object.fromEntries(files), ['--import', guard]);
  assert.equal(code, 1, said);
  const what = ['process (spawn)', 'server', 'connection', 'thread', 'connection (fetch)'];
  for (const each of what)
    assert.ok(said.includes(`Error: a unit test opens a ${each}: scripts/unit-tests.ts`), each);
  assert.match(said, /^# fail 5$/m);
});
