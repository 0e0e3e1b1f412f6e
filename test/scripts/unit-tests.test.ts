/** Which test files are unit tests, over planted trees and over this one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { reachedTests, testKinds } from '../../scripts/unit-tests.ts';
import { sourceFiles } from '../support/source-text.ts';

type Tree = Readonly<Record<string, string>>;

/** @returns how `test/a.test.ts` gets outside; undefined where it is a unit test */
function wayOut(tree: Tree): string | undefined {
  const files = Object.entries(tree).map(([path, text]) => ({ path, text }));
  const { unit, wide } = testKinds(files);
  assert.equal(unit.length + wide.size, 1);
  return wide.get('test/a.test.ts');
}

/** Doors of a room, one to a file that opens threads. */
const ROOM: Tree = {
  'src/pool/index.ts': `export { createPool, type Pool } from './pool.ts';
export { createAdmission as admission } from './admission.ts';`,
  'src/pool/pool.ts': `import { Piscina } from 'piscina';`,
  'src/pool/admission.ts': `import type { Pool } from './pool.ts';`,
};

const WIDE: readonly (readonly [Tree, string])[] = [
  [
    { 'test/a.test.ts': `import { spawn } from 'node:child_process';` },
    'test/a.test.ts -> node:child_process',
  ],
  [
    { 'test/a.test.ts': `import {\n  createServer,\n  type Server,\n} from 'node:net';` },
    'test/a.test.ts -> node:net',
  ],
  [
    { 'test/a.test.ts': `import * as threads from 'node:worker_threads';` },
    'test/a.test.ts -> node:worker_threads',
  ],
  [{ 'test/a.test.ts': `const body = await fetch(url);` }, 'test/a.test.ts -> fetch'],
  [
    {
      'test/a.test.ts': `import { start } from './support/b.ts';`,
      'test/support/b.ts': `import './c.ts';`,
      'test/support/c.ts': `const { Agent } = await import('undici');`,
    },
    'test/a.test.ts -> test/support/b.ts -> test/support/c.ts -> undici',
  ],
  [
    { ...ROOM, 'test/a.test.ts': `import { createPool } from '../src/pool/index.ts';` },
    'test/a.test.ts -> src/pool/index.ts -> src/pool/pool.ts -> piscina',
  ],
  [
    { ...ROOM, 'test/a.test.ts': `import * as pool from '../src/pool/index.ts';` },
    'test/a.test.ts -> src/pool/index.ts -> src/pool/pool.ts -> piscina',
  ],
];

for (const [tree, trail] of WIDE) {
  test(`a file that goes ${trail} is no unit test`, () => assert.equal(wayOut(tree), trail));
}

const UNIT: readonly (readonly [name: string, Tree])[] = [
  ['a type of a server', { 'test/a.test.ts': `import type { Server } from 'node:net';` }],
  [
    'a type among values',
    { 'test/a.test.ts': `import { STATUS_CODES, type Agent } from 'node:http';` },
  ],
  [
    'what a thread is told',
    { 'test/a.test.ts': `import { workerData } from 'node:worker_threads';` },
  ],
  [
    'another name of the same index.ts',
    { ...ROOM, 'test/a.test.ts': `import { admission } from '../src/pool/index.ts';` },
  ],
  ['a comment', { 'test/a.test.ts': `// import 'undici';\n/** fetch(url) */\na.fetch(b);` }],
];

for (const [name, tree] of UNIT) {
  test(`${name} lets a file be a unit test`, () => assert.equal(wayOut(tree), undefined));
}

test('imports that go round end', () => {
  const tree = {
    'test/a.test.ts': `import { b } from './b.ts';`,
    'test/b.ts': `import { c } from './c.ts';`,
    'test/c.ts': `import { b } from './b.ts';`,
  };
  assert.equal(wayOut(tree), undefined);
});

test('files of this tree that run servers are told from those that compute', () => {
  const { unit, wide } = testKinds(sourceFiles(fileURLToPath(new URL('../..', import.meta.url))));
  assert.ok(unit.includes('test/query/window.test.ts'));
  assert.ok(unit.includes('test/tidy.test.ts'));
  for (const path of [
    'test/commands/cli.test.ts',
    'test/storage/kill.test.ts',
    'test/http/streams.test.ts',
    'test/pool/pool.test.ts',
  ])
    assert.ok(wide.has(path), path);
});

const CHANGES: Tree = {
  ...ROOM,
  'src/main.ts': `import { admission } from './pool/index.ts';`,
  'workers/entry.js': `import './compute.ts';`,
  'workers/compute.ts': `import '../src/sums.ts';`,
  'src/sums.ts': `read(new URL('../workers/kernels/kernels.wasm', import.meta.url));`,
  'workers/kernels/sum.ts': '',
  'test/pool.test.ts': `import { admission } from '../src/pool/index.ts';`,
  'test/sums.test.ts': `import { sums } from './support/sums.ts';`,
  'test/support/sums.ts': `import '../../src/sums.ts';`,
  'test/served.test.ts': `const BIN = new URL('../src/prorata.js', import.meta.url);`,
  'test/types.test.ts': `import type { Pool } from '../src/pool/index.ts';`,
  'test/prices.test.ts': `readFileSync('test/fixtures/prices/eu.csv')`,
  'test/tidy.test.ts': `sourceFiles(ROOT)`,
};
const EVERY = Object.keys(CHANGES).filter((path) => path.endsWith('.test.ts'));

/** Test files reached, beside test/tidy.test.ts, which reads all sources. */
const REACHED: readonly (readonly [string, readonly string[]])[] = [
  ['src/pool/admission.ts', ['test/pool.test.ts', 'test/served.test.ts']],
  ['src/pool/pool.ts', []],
  ['src/sums.ts', ['test/served.test.ts', 'test/sums.test.ts']],
  ['workers/kernels/sum.ts', ['test/served.test.ts', 'test/sums.test.ts']],
  ['workers/compute.ts', ['test/served.test.ts']],
  ['test/support/sums.ts', ['test/sums.test.ts']],
  ['test/types.test.ts', ['test/types.test.ts']],
];

for (const [changed, expected] of REACHED) {
  test(`a change of ${changed} reaches ${expected.join(', ') || 'no test by imports'}`, () => {
    const files = Object.entries(CHANGES).map(([path, text]) => ({ path, text }));
    const { reached, because } = reachedTests(files, [changed]);
    assert.deepEqual([...reached].toSorted(), [...expected, 'test/tidy.test.ts'].toSorted());
    assert.deepEqual(because, [`${changed}: ${expected.length + 1} test files`]);
  });
}

test('a change of a file that is not code reaches what names it, and one of the packages everything', () => {
  const files = Object.entries(CHANGES).map(([path, text]) => ({ path, text }));
  const by = (path: string): string[] => [...reachedTests(files, [path]).reached].toSorted();
  assert.deepEqual(by('test/fixtures/prices/eu.csv'), ['test/prices.test.ts']);
  assert.deepEqual(by('test/fixtures/prices/us.csv'), ['test/prices.test.ts']);
  assert.deepEqual(by('docs/page.md'), []);
  assert.deepEqual(by('package-lock.json'), EVERY.toSorted());
});
