/**
 * Other versions of Node, from npm's `node-<platform>-<arch>` packages: the unit tests, the HTTP tests and the recorded
 * answers on each, and the speed of some benchmarks beside that of the Node that runs this.
 *
 *   .proofs/nodes/24/bin/node      fetched once
 *   .proofs/node-24-<check>.log    what a check printed
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { sourceFiles } from '../../test/support/source-text.ts';
import { bundleTests, type BundledTests } from '../bundle-tests.ts';
import type { ChildTask, Outcome } from './child.ts';

const BENCHMARKS = ['grouped-sums', 'warm', 'on-demand'];
const HTTP_TESTS = /^test\/(?:http|server)\/.*\.test\.ts$/;
const RECORDED_TESTS = ['test/commands/recorded-answers.test.ts'];
const TIMEOUT_MS = 20 * 60_000;

interface Version {
  readonly name: string;
  readonly program: string;
}

interface Checked {
  readonly passed: boolean;
  /** A cell of the table. */
  readonly text: string;
}

type Run = (
  name: string,
  each: Version,
  args: readonly string[],
  outcome?: string,
) => Promise<Checked>;

/** Median milliseconds by benchmark and task. */
type Medians = ReadonlyMap<string, number>;

/** Sets the exit code to 1 where a check fails. */
export async function proveNodes(root: string, majors: readonly string[]): Promise<void> {
  const folder = join(root, '.proofs');
  mkdirSync(folder, { recursive: true });
  const own = { name: process.versions.node.split('.')[0] ?? '', program: process.execPath };
  const others = majors.filter((each) => each !== own.name);
  const versions = [own, ...others.map((major) => fetched(folder, major))];
  const files = sourceFiles(root).map(({ path }) => path);
  const http = files.filter((path) => HTTP_TESTS.test(path));
  const bundled = await bundleTests([...http, ...RECORDED_TESTS].map((path) => [join(root, path)]));
  const checks: [name: string, Checked[]][] = [];
  const medians: Medians[] = [];
  const run: Run = (name, each, args, outcome) => {
    const log = join(folder, `node-${each.name}-${name}.log`);
    return runOn(each, args, { root, log, outcome });
  };
  const unit = ['--import', 'tsx', 'scripts/check.ts', '--unit'];
  const bench = ['--import', 'tsx', 'bench/run.ts', '--no-peers', ...BENCHMARKS];
  const tests = (name: string, each: Version, parts: readonly string[]): Promise<Checked> => {
    const path = join(folder, `node-${each.name}-${name}`);
    const task = testTask(root, path, bundled, parts);
    const args = ['--import', 'tsx', 'scripts/proofs/child.ts', JSON.stringify(task)];
    return run(name, each, args, task.outcome);
  };
  const all: [name: string, (each: Version) => Promise<Checked>][] = [
    ['unit', (each) => run('unit', each, unit)],
    ['http', (each) => tests('http', each, bundled.files.slice(0, http.length))],
    ['recorded', (each) => tests('recorded', each, bundled.files.slice(http.length))],
    ['bench', (each) => run('bench', each, bench)],
  ];
  try {
    for (const [name, check] of all) {
      const row: Checked[] = [];
      for (const each of versions) {
        const checked = await check(each);
        row.push(checked);
        process.stdout.write(`Node ${each.name} ${name}: ${checked.text}\n`);
        if (!checked.passed) process.exitCode = 1;
        if (name === 'bench') medians.push(mediansOf(join(folder, `node-${each.name}-bench.log`)));
      }
      checks.push([name, row]);
    }
  } finally {
    bundled.remove();
  }
  process.stdout.write(
    `\n${nodeTable(
      versions.map(({ name }) => name),
      checks,
      medians,
    )}`,
  );
}

/** @throws {Error} where the registry has no such version for this platform */
function fetched(folder: string, major: string): Version {
  const home = join(folder, 'nodes', major);
  const program = join(home, 'bin/node');
  if (existsSync(program)) return { name: major, program };
  const unfinished = `${home}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const name = `node-${process.platform}-${process.arch}@${major}`;
  const run = (command: string, args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: unfinished, encoding: 'utf8' }); // prettier-ignore
    if (status === 0) return stdout.trim();
    throw new Error(`cannot fetch ${name}: ${command} ended with ${status}: ${stderr.trim()}`);
  };
  const archive = run('npm', ['pack', '--silent', name]).split('\n').at(-1) ?? '';
  run('tar', ['-xzf', archive, '--strip-components=1']);
  rmSync(join(unfinished, archive));
  const version = run(join(unfinished, 'bin/node'), ['--version']);
  renameSync(unfinished, home);
  process.stdout.write(`fetched Node ${version}\n`);
  return { name: major, program };
}

function testTask(
  root: string,
  path: string,
  bundled: BundledTests,
  files: readonly string[],
): ChildTask {
  // prettier-ignore
  const work = { files, sources: [...bundled.sources], flags: [], timeoutMs: TIMEOUT_MS };
  return { root, outcome: `${path}.json`, names: `${path}.jsonl`, work };
}

async function runOn(
  { program }: Version,
  args: readonly string[],
  { root, log, outcome }: { root: string; log: string; outcome: string | undefined },
): Promise<Checked> {
  const startedMs = performance.now();
  const file = openSync(log, 'w');
  const PATH = `${dirname(program)}${delimiter}${process.env['PATH']}`;
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', file, file],
    env: { ...process.env, PATH, PROPERTY_SEED: '1' },
  });
  closeSync(file);
  await once(child, 'close');
  const passed = child.exitCode === 0;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const tests = testsOf(outcome) ?? /^# tests (\d+)/m.exec(readFileSync(log, 'utf8'))?.[1];
  const counted = tests === undefined ? '' : `, ${tests} tests`;
  const end = passed ? 'ok' : `FAILED (${log.slice(root.length)})`;
  return { passed, text: `${end}${counted}, ${seconds} s` };
}

function testsOf(outcome: string | undefined): number | undefined {
  if (outcome === undefined || !existsSync(outcome)) return undefined;
  return (JSON.parse(readFileSync(outcome, 'utf8')) as Outcome).tests;
}

/** Reads the tables that benchmarks print. */
function mediansOf(log: string): Medians {
  const medians = new Map<string, number>();
  let title = '';
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    title = /^\*\*(.*)\*\*$/.exec(line)?.[1] ?? title;
    const [, task, ms] = /^\| (.+?) \| ([\d.]+) ms \|/.exec(line) ?? [];
    if (task !== undefined) medians.set(`${title}: ${task}`, Number(ms));
  }
  return medians;
}

/** A table in Markdown: a column per version. Times of other versions have the ratio to the first, above 1 if faster. */
export function nodeTable(
  versions: readonly string[],
  checks: readonly (readonly [name: string, checked: readonly Checked[]])[],
  medians: readonly Medians[],
): string {
  const [first = new Map<string, number>()] = medians;
  const names = [...new Set(medians.flatMap((each) => [...each.keys()]))];
  const cell = (ms: number | undefined, at: number, name: string): string => {
    if (ms === undefined) return '';
    const base = first.get(name);
    return at === 0 || base === undefined ? `${ms} ms` : `${ms} ms, ${(base / ms).toFixed(2)}×`;
  };
  const rows = [
    ['', ...versions.map((name) => `Node ${name}`)],
    ['---', ...versions.map(() => '---')],
    ...checks.map(([name, checked]) => [name, ...checked.map(({ text }) => text)]),
    ...names.map((name) => [name, ...medians.map((each, at) => cell(each.get(name), at, name))]),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
