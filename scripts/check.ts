/**
 * The gate, `npm test`: kernels and bundle, types, lint, format, dead code, pinned dependencies, tests. All
 * stages run though one fails; the exit code is 1 if any did.
 *
 *   npm test [-- --only types,tests] [-- --unit] [-- --seed random]
 *
 * With --unit only unit tests run, and no other stage unless --only names it. Properties draw their
 * cases from --seed, a number, 1 where not given; with `random` each draws new ones.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FILLED_FOLDERS } from '../test/support/filled-once.ts';
import { sourceFiles } from '../test/support/source-text.ts';
import { bundleTests } from './bundle-tests.ts';
import { PROMISES } from '../test/support/promises.ts';
import { PromiseBook } from './promise-book.ts';
import { unlocked, unpinned, type Lockfile, type Manifest } from './pinned.ts';
import { runTests } from './run-tests.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testGroups } from './test-groups.ts';
import { testKinds } from './unit-tests.ts';

/** @returns whether all is well; what is not was printed */
type Stage = () => Promise<boolean>;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    unit: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});
const isUnitOnly = values.unit;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUARD = new URL('unit-guard.js', import.meta.url).href;

/** More at once would share the memory that servers and stores under test need. */
const TEST_PROCESSES_MAX = 4;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Stands first: tests and types need what it makes. */
const BUILD = 'build';

/** Groups run one after the other, the stages of a group side by side: most take one core each. */
const GROUPS: readonly Readonly<Record<string, Stage>>[] = [
  { [BUILD]: () => script('prepare') },
  {
    types: () => script('check:types'),
    lint: () => script('check:lint'),
    format: () => script('check:format'),
    dead: () => script('check:dead'),
    pinned,
  },
  { tests },
];
const NAMES = GROUPS.flatMap((group) => Object.keys(group));

/** A script of package.json. */
function script(name: string): Promise<boolean> {
  return run('npm', ['run', '--silent', name]);
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'close');
  return child.exitCode === 0;
}

function pinned(): Promise<boolean> {
  const findings = ['.', 'bench'].flatMap((folder) => [
    ...unpinned(read<Manifest>(folder, 'package.json')),
    ...unlocked(read<Lockfile>(folder, 'package-lock.json')),
  ]);
  for (const finding of findings) process.stdout.write(`${finding}\n`);
  return Promise.resolve(findings.length === 0);
}

function read<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as T;
}

/** Unit tests come last: they are short, and keep every core busy to the end. */
async function tests(): Promise<boolean> {
  const all = sourceFiles(ROOT);
  const { unit, wide } = testKinds(all);
  // One more than there are cores: some of them wait for a store, a disk or a clock.
  const processes = Math.min(TEST_PROCESSES_MAX, availableParallelism() + 1);
  const chosenFiles = isUnitOnly ? unit : [...wide.keys(), ...unit];
  const others = isUnitOnly ? `; ${wide.size} others open something` : '';
  process.stdout.write(`${chosenFiles.length} files, ${unit.length} of them unit tests${others}\n`);
  const groups = testGroups(
    isUnitOnly ? [] : [...wide.keys()],
    all.filter(({ path }) => unit.includes(path)),
  );
  const { files, sources, remove } = await bundleTests(
    groups.map((group) => group.map((path) => join(ROOT, path))),
  );
  process.env['PROPERTY_SEED'] = seedOf(values.seed);
  const temporary = temporaryFolder();
  // What tests and their servers take for the folder of temporary files.
  process.env['TMPDIR'] = temporary;
  process.env[FILLED_FOLDERS] = join(temporary, 'filled');
  const drop = (): void => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  // A run that is interrupted leaves nothing in memory either.
  const end = (signal: NodeJS.Signals): void => {
    drop();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  const promises = new PromiseBook(PROMISES);
  try {
    const passed = await runTests({
      hear: promises.hear,
      files,
      processes,
      flags: isUnitOnly ? ['--import', GUARD] : [],
      sources,
    });
    // Most promises are held by tests that open something.
    return isUnitOnly ? passed : told(promises) && passed;
  } finally {
    remove();
    drop();
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** @returns whether all promises are held */
function told({ table, breaks }: PromiseBook): boolean {
  process.stdout.write(table);
  if (breaks.length > 0) process.stdout.write(`\nbroken promises:\n  ${breaks.join('\n  ')}\n`);
  return breaks.length === 0;
}

async function check(names: readonly string[]): Promise<boolean> {
  const results: Result[] = [];
  for (const group of GROUPS) {
    const chosenStages = Object.entries(group).filter(([name]) => names.includes(name));
    if (chosenStages.length === 0) continue;
    process.stdout.write(`\n== ${chosenStages.map(([name]) => name).join(', ')}\n`);
    results.push(...(await Promise.all(chosenStages.map(runStage))));
    if (BUILD in group && results.some(({ passed }) => !passed)) break;
  }
  const isWell = results.every(({ passed }) => passed);
  const lines = results.map(
    ({ name, passed, seconds }) =>
      `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s\n`,
  );
  process.stdout.write(`\n== ${isWell ? 'all is well' : 'FAILED'}\n${lines.join('')}`);
  return isWell;
}

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

async function runStage([name, stage]: readonly [string, Stage]): Promise<Result> {
  const startedMs = performance.now();
  const passed = await stage();
  return { name, passed, seconds: (performance.now() - startedMs) / 1000 };
}

/** @throws {Error} for what is neither a number nor `random` */
function seedOf(text: string): string {
  if (text === 'random' || /^\d{1,9}$/.test(text)) return text;
  throw new Error(`--seed: '${text}' is neither a whole number nor random`);
}

function chosen(only: string | undefined): string[] {
  const names = only?.split(',') ?? (isUnitOnly ? ['tests'] : NAMES);
  const stranger = names.find((name) => !NAMES.includes(name));
  if (stranger === undefined) return [BUILD, ...names];
  throw new Error(`--only: '${stranger}' is not one of ${NAMES.join(', ')}`);
}

if (!(await check(chosen(values.only)))) process.exitCode = 1;
