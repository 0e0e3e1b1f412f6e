/**
 * The gate, `npm test`: kernels and bundle, types, lint, format, dead code, pinned dependencies, tests. All
 * stages run though one fails; the exit code is 1 if any did. `npm test -- --help` prints its options.
 *
 * After the build all stages and test files are jobs of one schedule (`schedule.ts`), so that the cores
 * stay busy to the end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILLED_FOLDERS } from '../test/support/filled-once.ts';
import { sourceFiles } from '../test/support/source-text.ts';
import { bundleTests } from './bundle-tests.ts';
import { PROMISES } from '../test/support/promises.ts';
import { commandLine, STAGES } from './commands.ts';
import { PromiseBook } from './promise-book.ts';
import { unlocked, unpinned, type Lockfile, type Manifest } from './pinned.ts';
import { testJobs, type ProcessCost, type TestEvent, type TestJobs } from './run-tests.ts';
import { CoresBusy, Durations, runJobs, usualLimits, type Expected, type Job } from './schedule.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testGroups } from './test-groups.ts';
import { reachedTests, testKinds } from './unit-tests.ts';

const { values } = commandLine('check');
const isUnitOnly = values.unit;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUARD = new URL('unit-guard.js', import.meta.url).href;
/** One line of JSON a test: file, name, result. Ignored by git. */
const NAMES_FILE = join(ROOT, '.tests/names.jsonl');

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const SLOWEST_SHOWN = 10;
/** A test file with a larger share of the CPU time of the gate is reported as a warning. */
const FILE_SHARE_MAX = 0.05;

/** Runs first: tests and types need its result. */
const BUILD = 'build';
const TESTS = 'tests';

/** @returns whether it passed, and what to print */
type Check = () => Promise<readonly [boolean, string]>;

/** Expected times on two cores; the compilers use more than one core. */
const CHECKS: Readonly<
  Record<Exclude<(typeof STAGES)[number], 'tests'>, readonly [Expected, Check]>
> = {
  types: [{ seconds: 60, cores: 1.5 }, () => script('check:types')],
  lint: [{ seconds: 60, cores: 1.5 }, () => script('check:lint')],
  dead: [{ seconds: 30, cores: 1 }, () => script('check:dead')],
  format: [{ seconds: 20, cores: 1 }, () => script('check:format')],
  pinned: [{ seconds: 10, cores: 1 }, pinned],
};

interface Result {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
}

/** A script of package.json. */
async function script(name: string): Promise<readonly [boolean, string]> {
  const child = spawn('npm', ['run', '--silent', name], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return [child.exitCode === 0, output];
}

function pinned(): Promise<readonly [boolean, string]> {
  const findings = ['.', 'bench'].flatMap((folder) => [
    ...unpinned(read<Manifest>(folder, 'package.json')),
    ...unlocked(read<Lockfile>(folder, 'package-lock.json')),
  ]);
  return Promise.resolve([findings.length === 0, findings.map((each) => `${each}\n`).join('')]);
}

function read<T>(folder: string, name: string): T {
  return JSON.parse(readFileSync(join(ROOT, folder, name), 'utf8')) as T;
}

function checkJob(name: string, [expected, check]: readonly [Expected, Check]): [Job, Result[]] {
  const results: Result[] = [];
  const run = async (): Promise<void> => {
    const startedMs = performance.now();
    const [passed, output] = await check();
    const seconds = (performance.now() - startedMs) / 1000;
    results.push({ name, passed, seconds });
    process.stdout.write(`${output}${resultLine({ name, passed, seconds })}`);
  };
  return [{ expected, run }, results];
}

function resultLine({ name, passed, seconds }: Result): string {
  return `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(8)} ${seconds.toFixed(1).padStart(6)} s\n`;
}

/** Test files of a run, bundled. */
interface PreparedTests extends TestJobs {
  readonly promises: PromiseBook;
  readonly remove: () => void;
}

async function prepareTests(durations: Durations): Promise<PreparedTests> {
  const all = sourceFiles(ROOT);
  const { unit, wide } = testKinds(all);
  const isChosen = values.since === undefined ? (): boolean => true : changedSince(values.since);
  const units = unit.filter(isChosen);
  const wides = isUnitOnly ? [] : [...wide.keys()].filter(isChosen);
  const others = isUnitOnly ? `; ${wide.size} others open something` : '';
  process.stdout.write(
    `${units.length + wides.length} files, ${units.length} of them unit tests${others}\n`,
  );
  const groups = testGroups(
    all.filter(({ path }) => wides.includes(path)),
    all.filter(({ path }) => units.includes(path)),
    (path) => durations.of(path),
  );
  const bundled = await bundleTests(groups.map((group) => group.map((path) => join(ROOT, path))));
  const expected = new Map(
    bundled.files.map((file, index) => [file, groupExpected(groups[index] ?? [], durations)]),
  );
  process.env['PROPERTY_SEED'] = values.seed;
  const temporary = temporaryFolder();
  // What tests and their servers take for the folder of temporary files.
  process.env['TMPDIR'] = temporary;
  process.env[FILLED_FOLDERS] = join(temporary, 'filled');
  const promises = new PromiseBook(PROMISES);
  const names: string[] = [];
  const { jobs, close, costs } = testJobs({
    files: bundled.files,
    sources: bundled.sources,
    flags: isUnitOnly ? ['--import', GUARD] : [],
    expected: (file) => expected.get(file) ?? { seconds: 1, cores: 1 },
    hear: (event) => {
      promises.hear(event);
      const name = nameLine(event, bundled.sources);
      if (name !== undefined) names.push(name);
    },
  });
  const remove = (): void => {
    writeNames(names);
    bundled.remove();
    rmSync(temporary, { recursive: true, force: true, maxRetries: 3 });
  };
  return { jobs, close, costs, promises, remove };
}

function groupExpected(paths: readonly string[], durations: Durations): Expected {
  const [first = ''] = paths;
  if (paths.length === 1) return durations.of(first);
  return { seconds: paths.reduce((sum, path) => sum + durations.of(path).seconds, 0), cores: 1 };
}

/** @returns whether a test file can be reached by what changed since the commit, in the working tree too */
function changedSince(commit: string): (path: string) => boolean {
  const git = (...args: readonly string[]): string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = [
    ...git('diff', '--name-only', '--no-renames', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  const { reached, because } = reachedTests(sourceFiles(ROOT), changed);
  process.stdout.write(because.map((line) => `${line}\n`).join(''));
  return (path) => reached.has(path);
}

function nameLine(
  { type, data }: TestEvent,
  sources: ReadonlyMap<string, readonly string[]>,
): string | undefined {
  const { name, file = '', skip } = data;
  if ((type !== 'test:pass' && type !== 'test:fail') || name === file) return undefined;
  if (data.details?.type === 'suite') return undefined;
  const isSkipped = skip !== undefined && skip !== false;
  const result = isSkipped ? 'skip' : type.slice('test:'.length);
  const path = sources.get(file)?.[0]?.slice(ROOT.length) ?? file;
  return JSON.stringify({ path, name, result });
}

function writeNames(names: readonly string[]): void {
  mkdirSync(join(ROOT, '.tests'), { recursive: true });
  writeFileSync(NAMES_FILE, names.map((line) => `${line}\n`).join(''));
}

/** The files that took most CPU time, and a warning for each that takes too much of the whole. */
function slowest(costs: readonly ProcessCost[], allSeconds: number): string {
  const rows = costs
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
    .map(({ paths, cpuSeconds, wallSeconds }) => {
      const [first = ''] = paths;
      const name = paths.length === 1 ? first : `${paths.length} unit tests, ${first} …`;
      return { name, cpuSeconds, wallSeconds };
    });
  const line = (row: (typeof rows)[number]): string =>
    `  ${row.cpuSeconds.toFixed(1).padStart(6)} s CPU ${row.wallSeconds.toFixed(1).padStart(6)} s  ${row.name}\n`;
  const large = rows.filter(({ cpuSeconds }) => cpuSeconds > FILE_SHARE_MAX * allSeconds);
  const warnings = large.map(
    ({ name, cpuSeconds }) =>
      `warning: ${name} takes ${percent(cpuSeconds / allSeconds)} of the CPU time, more than ${percent(FILE_SHARE_MAX)}\n`,
  );
  return `\nslowest files:\n${rows.slice(0, SLOWEST_SHOWN).map(line).join('')}${warnings.join('')}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** @returns whether all promises are held */
function told({ table, breaks }: PromiseBook): boolean {
  process.stdout.write(table);
  if (breaks.length > 0) process.stdout.write(`\nbroken promises:\n  ${breaks.join('\n  ')}\n`);
  return breaks.length === 0;
}

/** @returns whether the tests passed */
function closeTests({ close, costs, promises }: PreparedTests, durations: Durations): boolean {
  const passed = close();
  const processes = costs();
  const allSeconds = processes.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  process.stdout.write(slowest(processes, allSeconds));
  process.stdout.write(`tests took ${allSeconds.toFixed(0)} s of CPU\n`);
  if (values.record) durations.record(measured(processes));
  // Most promises are held by tests that open something; a part of the tests holds a part of them.
  if (isUnitOnly || values.since !== undefined) return passed;
  return told(promises) && passed;
}

function measured(processes: readonly ProcessCost[]): Map<string, Expected> {
  const rows = processes.flatMap(({ paths, wallSeconds, cpuSeconds, testSeconds }) =>
    paths.map((path, index): [string, Expected] =>
      paths.length > 1
        ? [path, { seconds: testSeconds[index] ?? 0, cores: 1 }]
        : [path, { seconds: wallSeconds, cores: cpuSeconds / Math.max(wallSeconds, 0.1) }],
    ),
  );
  return new Map(rows);
}

async function check(names: readonly string[]): Promise<boolean> {
  const busy = new CoresBusy();
  const build = checkJob(BUILD, [{ seconds: 10, cores: 1 }, () => script('prepare')]);
  await build[0].run();
  const results = build[1];
  if (!results.every(({ passed }) => passed)) return false;
  const durations = new Durations(ROOT);
  const checks = Object.entries(CHECKS).filter(([name]) => names.includes(name));
  const others = checks.map(([name, stage]) => checkJob(name, stage));
  const startedMs = performance.now();
  const prepared = names.includes(TESTS) ? await prepareTests(durations) : undefined;
  const end = removing(prepared);
  try {
    await runJobs([...others.map(([job]) => job), ...(prepared?.jobs ?? [])], usualLimits());
    results.push(...others.flatMap(([, result]) => result));
    if (prepared !== undefined) {
      const passed = closeTests(prepared, durations);
      results.push({ name: TESTS, passed, seconds: (performance.now() - startedMs) / 1000 });
    }
  } finally {
    end();
  }
  const isWell = results.every(({ passed }) => passed);
  process.stdout.write(
    `\n== ${isWell ? 'all is well' : 'FAILED'}\n${results.map(resultLine).join('')}`,
  );
  process.stdout.write(`cores busy ${percent(busy.share)} of the time\n`);
  return isWell;
}

/** Removes the files of the tests at the end, also if the run is interrupted: they lie in memory. */
function removing(prepared: PreparedTests | undefined): () => void {
  const drop = (): void => prepared?.remove();
  const end = (signal: NodeJS.Signals): void => {
    drop();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
    drop();
  };
}

const names: readonly string[] = values.only ?? (isUnitOnly ? [TESTS] : STAGES);
if (!(await check(names))) process.exitCode = 1;
