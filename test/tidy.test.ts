/** The house rules hold in this tree, and each is seen to fail on planted breaks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as rules from './support/house-rules.ts';
import { importsOf, sourceFiles, type SourceFile } from './support/source-text.ts';

const { ADAPTERS, ...RULES } = rules;

const files = sourceFiles(fileURLToPath(new URL('..', import.meta.url)));

test('the tree is read whole, and every adapter named is there', () => {
  const paths = new Set(files.map(({ path }) => path));
  for (const path of ['src/main.ts', 'src/prorata.js', 'workers/compute.ts', 'bench/run.ts']) {
    assert.ok(paths.has(path), path);
  }
  for (const path of Object.values(ADAPTERS).flat()) assert.ok(paths.has(path), path);
  const imported = new Set(files.flatMap(importsOf).map(({ to }) => to));
  assert.ok(imported.has('src/http/uws/front-end.ts'), 'import() is seen');
  assert.ok(imported.has('src/columnar/index.ts'), 'imports of many lines are seen');
});

for (const [name, rule] of Object.entries(RULES)) {
  test(`${name} holds`, () => {
    const breaks = rule(files);
    assert.ok(breaks.length === 0, `\n${breaks.join('\n')}`);
  });
}

type Tree = Readonly<Record<string, string>>;

function treeOf(tree: Tree): SourceFile[] {
  return Object.entries(tree).map(([path, text]) => ({ path, text }));
}

/** Word by word, so that the rules do not find them here. */
const [LATER, ANYTHING, UP] = ['TO' + 'DO', 'an' + 'y', '.' + '.'];

const [OF, WHOSE, THAT, BY_HAND] = ['O' + 'f', 'Who' + 'se', 'th' + 'at', 'prettier-' + 'ignore'];

/** A tree with one break, and what is said of it. */
const PLANTED: readonly (readonly [keyof typeof RULES, Tree, RegExp])[] = [
  [
    'importDirection',
    { 'src/columnar/memory/arena.ts': `import { parse } from '../../query/index.ts';` },
    /^src\/columnar\/memory\/arena\.ts: imports src\/query\/index\.ts, which is not below it; move/,
  ],
  [
    'importDirection',
    { 'src/metrics/readers/a.ts': `import type {\n  Route,\n} from '../../http/index.ts';` },
    /imports src\/http\/index\.ts, which is not below/,
  ],
  [
    'importDirection',
    { 'src/billing/cloud/a.ts': `export * from '../../assets/index.ts';` },
    /not below/,
  ],
  ['importDirection', { 'src/cluster/a.ts': `import '../demo/index.ts';` }, /not below/],
  [
    'rooms',
    { 'src/allocation/row/a.ts': `import type { A } from '../sets/b.ts';` },
    /a room that does not come before row; move what both need/,
  ],
  [
    'rooms',
    { 'src/allocation/sets/a.ts': `import { a } from '../tasks.ts';` },
    /imports src\/allocation\/tasks\.ts, of a room that does not come before/,
  ],
  ['rooms', { 'src/allocation/new/a.ts': `import '../row/b.ts';` }, /give it a place in ROOMS/],
  ['importDirection', { 'src/http/a.ts': `const a = await import('../log.ts');` }, /not below/],
  ['importDirection', { 'src/audit/a.ts': `import '../commands/serve.ts';` }, /not below/],
  ['importDirection', { 'src/new/a.ts': `import '../query/index.ts';` }, /has no layer; give it/],
  ['importDirection', { 'src/query/a.ts': `import '../../test/a.ts';` }, /src imports only src/],
  [
    'doors',
    { 'src/allocation/a.ts': `import { Fault } from '../query/fault.ts';` },
    /imports src\/query\/fault\.ts; import src\/query\/index\.ts, which exports what is public/,
  ],
  ['doors', { 'src/main.ts': `import './http/uws.ts';` }, /import src\/http\/index\.ts/],
  ['doors', { 'workers/compute.ts': `import '../src/query/window.ts';` }, /src\/query\/index\.ts/],
  ['doors', { 'src/query/a.ts': `import './index.ts';` }, /import the file itself/],
  [
    'cycles',
    {
      'src/query/a.ts': `import './b.ts';`,
      'src/query/b.ts': `import './c.ts';`,
      'src/query/c.ts': `import type { A } from './a.ts';`,
    },
    /^src\/query\/a\.ts -> src\/query\/b\.ts -> src\/query\/c\.ts -> src\/query\/a\.ts: imports go/,
  ],
  [
    'adapters',
    { 'src/http/a.ts': `import { request } from 'undici';` },
    /use src\/metrics\/client\/http-/,
  ],
  [
    'adapters',
    { 'src/terminal/log.ts': `import type { P } from 'piscina';\nimport 'pino';` },
    /use src\/pool/,
  ],
  ['adapters', { 'src/http/a.ts': `import '@new/package/part';` }, /name its one file in ADAPTERS/],
  [
    'adapters',
    { 'src/terminal/log.ts': `export const a = 1;` },
    /does not import pino; take it out/,
  ],
  [
    'workerReach',
    {
      'workers/compute.ts': `import { tasks } from '../src/allocation/tasks.ts';`,
      'src/allocation/tasks.ts': `import { FACTS } from '../metrics/index.ts';`,
    },
    /^workers\/compute\.ts -> src\/allocation\/tasks\.ts -> src\/metrics\/index\.ts: a worker/,
  ],
  ['workerReach', { 'workers/compute.ts': `import '../src/http/index.ts';` }, /does not talk/],
  ['workerReach', { 'workers/compute.ts': `import '../src/pool/pool.ts';` }, /does not talk/],
  [
    'deadFiles',
    { 'src/query/a.ts': '', 'test/query/a.test.ts': `import '../../src/query/a.ts';` },
    /^src\/query\/a\.ts: nothing imports it \(tests do not count\); use it or delete it/,
  ],
  ['fileLength', { 'test/a.test.ts': 'a;\n'.repeat(801) }, /801 lines, at most 800; split it/],
  ['leftOvers', { 'src/a.ts': `a();\n// ${LATER} later` }, /^src\/a\.ts:2: .*; do it, or say/],
  ['bannedNames', { 'src/query/text-utils.ts': '' }, /name the file for its one idea/],
  ['bannedNames', { 'test/helpers/a.ts': '' }, /name the file for its one idea/],
  ['bannedNames', { 'src/a.ts': 'export class PoolManager {}' }, /name it for what it does/],
  ['noAny', { 'src/a.ts': `\nlet a: ${ANYTHING};` }, /^src\/a\.ts:2: .*; use unknown/],
  ['noAny', { 'src/a.ts': `f(a as ${ANYTHING});` }, /use unknown/],
  ['noAny', { 'src/a.ts': `let a: Map<string, ${ANYTHING}>;` }, /use unknown/],
  ['noAny', { 'src/a.ts': `let a: (${ANYTHING} | string)[];` }, /use unknown/],
  [
    'arenaViews',
    { 'src/query/a.ts': `const text = Buffer.from(engine.arena.buffer, address, 9);` },
    /^src\/query\/a\.ts:1: arena\.buffer, ; use arena\.u8 to arena\.text/,
  ],
  ['headers', { 'src/columnar/a.ts': `import './b.ts';` }, /begins without a comment; say what/],
  ['headers', { 'workers/kernels/a.ts': 'export const a = 1;' }, /begins without a comment/],
  ['kebabCase', { 'src/query/parseWindow.ts': '' }, /file names are kebab-case/],
  [
    'ownFolder',
    { 'test/a/b.test.ts': `\nread(new URL('${UP}/${UP}/${UP}/data/a.csv', import.meta.url));` },
    /^test\/a\/b\.test\.ts:2: \.\.\/\.\.\/\.\.\/data\/a\.csv is outside the repository; put it into/,
  ],
  [
    'ownFolder',
    { 'bench/a.ts': `new URL(\n  '${UP}/${UP}', import.meta.url)` },
    /a\.ts:1: .* outside/,
  ],
  ['ownFolder', { 'src/a.ts': `new URL(\`${UP}/${UP}/\${name}\`, import.meta.url)` }, /outside/],
  [
    'ownFolder',
    { 'src/a.ts': `import '${UP}/${UP}/b.ts';` },
    /^src\/a\.ts: \.\.\/b\.ts is outside/,
  ],
  ['ownFolder', { 'scripts/a.ts': `/** node a.ts ${UP}/data/a.csv */` }, /a\.ts:1: .* outside/],
  ['ownFolder', { 'src/a/b.ts': `readFileSync('${UP}/data/a.csv')` }, /take it as an argument/],
  ['ownFolder', { 'test/a.ts': `join(ROOT, '${UP}/${UP}')` }, /take it as an argument/],
  ['subjectFirst', { 'src/a.ts': `\n/** ${OF} the process. */` }, /^src\/a\.ts:2: begins with/],
  ['subjectFirst', { 'src/a.ts': `/**\n * ${WHOSE} rows it fills.\n */` }, /put the subject first/],
  ['subjectFirst', { 'test/a.test.ts': `test('${OF} two days comes one', f)` }, /subject first/],
  ['subjectFirst', { 'test/a.test.ts': `describe.only(\n  "${THAT} is refused", f)` }, /subject/],
  [
    'wideLogic',
    { 'src/a.ts': `\nconst a = b ?? '${'c'.repeat(160)}';` },
    /^src\/a\.ts:2: is logic/,
  ],
  ['wideLogic', { 'src/a.ts': `const a = (b) => b; // ${BY_HAND}` }, /let prettier lay it out/],
];

for (const [name, tree, message] of PLANTED) {
  test(`${name} fails on ${JSON.stringify(tree).slice(0, 100)}`, () => {
    const breaks = RULES[name](treeOf(tree));
    assert.equal(breaks.length, 1, breaks.join('\n'));
    assert.match(breaks[0] ?? '', message);
  });
}

test('every rule has a planted break', () => {
  assert.deepEqual(new Set(PLANTED.map(([name]) => name)), new Set(Object.keys(RULES)));
});

/** What looks like a break and is none. */
const FINE: readonly (readonly [keyof typeof RULES, Tree])[] = [
  ['importDirection', { 'src/allocation/a.ts': `import '../assets/index.ts';` }],
  ['importDirection', { 'src/query/a.ts': `// import '../http/index.ts';` }],
  ['doors', { 'workers/compute.ts': `import '../src/pool/task.ts';` }],
  ['doors', { 'src/query/index.ts': `export { a } from './a.ts';` }],
  ['adapters', { 'test/a.test.ts': `import 'undici';`, 'src/a.ts': `import 'node:fs';` }],
  [
    'workerReach',
    {
      'workers/compute.ts': `import '../src/allocation/tasks.ts';`,
      'src/allocation/tasks.ts': `import type { Route } from '../http/index.ts';`,
    },
  ],
  ['noAny', { 'src/a.ts': `say('a: ${ANYTHING}'); /** : ${ANYTHING} */ Promise.${ANYTHING}([]);` }],
  ['fileLength', { 'src/a.ts': 'a;\n'.repeat(800) }],
  ['ownFolder', { 'test/a/b.ts': `new URL('${UP}/${UP}/src/a.ts', import.meta.url)` }],
  ['ownFolder', { 'test/a/b.ts': `new URL('${UP}/${UP}', import.meta.url)` }],
  [
    'ownFolder',
    { 'test/a/b.ts': `import '${UP}/${UP}/src/a.ts'; refused('${UP}/x', '/a/${UP}/b/');` },
  ],
  ['subjectFirst', { 'src/a.ts': `/** What is ${OF} use. */ f('${OF} it');` }],
  ['wideLogic', { 'src/a.ts': `const A = ['${'=> '.repeat(60)}', 2]; // ${BY_HAND}` }],
];

for (const [name, tree] of FINE) {
  test(`${name} lets ${JSON.stringify(tree).slice(0, 100)} pass`, () => {
    assert.deepEqual(RULES[name](treeOf(tree)), []);
  });
}
