/** Users start a bundle of the current sources. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = [
  'src',
  'workers',
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'LICENSE',
];

/** A copy of the tree to edit, with the same packages. */
const tree = mkdtempSync(join(tmpdir(), 'prorata-tree-'));
before(() => {
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(tree, part), { recursive: true, preserveTimestamps: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
});
after(() => rmSync(tree, { recursive: true, force: true }));

function help(): { stdout: string; stderr: string } {
  const command = [join(tree, 'src/prorata.js'), '--help'];
  return spawnSync(process.execPath, command, { cwd: tmpdir(), encoding: 'utf8' });
}

function bundles(): string[] {
  return readdirSync(join(tree, 'dist')).filter((name) => name !== 'page');
}

/** Changes a word of the usage, but not the file's length and time. */
function edit(from: string, to: string): void {
  const path = join(tree, 'src/main.ts');
  const text = readFileSync(path, 'utf8');
  assert.ok(text.includes(from), `src/main.ts does not say ${from}`);
  writeFileSync(path, text.replace(from, to));
  utimesSync(path, 1, 1);
}

describe('the bundle', () => {
  test('is built by the first command, and then used', () => {
    assert.match(help().stdout, /serve {5}answers the HTTP API/);
    assert.equal(bundles().length, 1);
    assert.match(help().stdout, /serve {5}answers the HTTP API/);
    assert.equal(bundles().length, 1);
  });

  test('is never older than a source, whatever the modification time', () => {
    edit('answers the HTTP API', 'ANSWERS the HTTP API');
    assert.match(help().stdout, /serve {5}ANSWERS the HTTP API/);
    edit('ANSWERS the HTTP API', 'answers the HTTP API');
    assert.match(help().stdout, /serve {5}answers the HTTP API/);
    assert.equal(bundles().length, 2, 'what was built before is used again');
  });

  test('is not replaced by an older one when the sources cannot be built', () => {
    const path = join(tree, 'src/terminal/log.ts');
    const text = readFileSync(path, 'utf8');
    appendFileSync(path, '\nexport const = 1;\n');
    const { stdout, stderr } = help();
    writeFileSync(path, text);
    assert.equal(stdout, '');
    assert.match(stderr, /src\/terminal\/log\.ts:\d+:\d+/);
  });

  test('loads no CommonJS package lazily, which would have only its default export', () => {
    const folder = join(tree, 'dist', bundles()[0] ?? '', 'src/bundle');
    const later = readdirSync(folder)
      .filter((name) => name.endsWith('.js'))
      .filter((name) =>
        readFileSync(join(folder, name), 'utf8').includes('export default require_'),
      )
      .map((name) => name.replace(/-\w+\.js$/, ''));
    // A file that imports the whole package and is itself loaded lazily has all names.
    assert.deepEqual(later, []);
  });

  test('shows lines of the sources in stack traces', () => {
    const [name = ''] = bundles();
    const { href } = pathToFileURL(join(tree, 'dist', name, 'src/bundle/compute.js'));
    // Outside of a worker it fails, as it has no memory.
    const code = `await import(${JSON.stringify(href)})`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    const line = 1 + lineOf(join(ROOT, 'workers/compute.ts'), '= workerData as WorkerData');
    assert.match(stderr, new RegExp(`at file://.*/workers/compute\\.ts:${line}:\\d+`));
  });
});

function lineOf(path: string, part: string): number {
  return readFileSync(path, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(part));
}
