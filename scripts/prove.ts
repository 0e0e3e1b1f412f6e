/**
 * `npm run prove`: what the gate runs a sample of, whole, and the scripts that search. Each proof runs in a process of
 * its own; what passed is written down for each commit, so that an interrupted run goes on.
 *
 *   .proofs/state.json          results by proof, of one state of the sources
 *   .proofs/<proof>.log         what it printed
 *   .proofs/<proof>.jsonl       its tests: path, name, result
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, closeSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FILLED_FOLDERS } from '../test/support/filled-once.ts';
import { sourceFiles, type SourceFile } from '../test/support/source-text.ts';
import { bundleTests, type BundledTests } from './bundle-tests.ts';
import { oneOf, UsageError } from './command-line.ts';
import { commandLine, refuse } from './commands.ts';
import type { ChildTask, Outcome } from './proofs/child.ts';
import { proveNodes } from './proofs/nodes.ts';
import { commandOf, filesOf, isOf, PROOFS, variablesOf, type Proof, type TestProof } from './proofs/table.ts'; // prettier-ignore
import { runJobs } from './schedule.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { testGroups } from './test-groups.ts';
import { testKinds } from './unit-tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, '.proofs');
const STATE = join(FOLDER, 'state.json');
const CHILD = join(ROOT, 'scripts/proofs/child.ts');
/** A longer run of one test file fails. */
const TIMEOUT_MS = 20 * 60_000;
const SHOWN_FAILURES = 5;
const INTERRUPTED = 130;

interface Result extends Outcome {
  readonly name: string;
  readonly count: string;
  readonly seconds: number;
}

interface State {
  /** The commit, and a digest of what is not committed. */
  readonly sources: string;
  readonly results: Readonly<Record<string, Result>>;
}

function sourcesKey(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const added = git('ls-files', '--others', '--exclude-standard').split('\n').filter(Boolean);
  const texts = added.map((path) => `${path}\n${readFileSync(join(ROOT, path), 'utf8')}`);
  const changes = [git('diff', 'HEAD'), ...texts].join('');
  const commit = git('rev-parse', 'HEAD').trim();
  if (changes === '') return commit;
  return `${commit}+${createHash('sha256').update(changes).digest('hex').slice(0, 12)}`;
}

/** Servers under test run the bundle. */
function buildAll(): void {
  execFileSync('npm', ['run', '--silent', 'prepare'], { cwd: ROOT, stdio: 'inherit' });
}

function readState(sources: string): State {
  const state = existsSync(STATE) ? (JSON.parse(readFileSync(STATE, 'utf8')) as State) : undefined;
  return state?.sources === sources ? state : { sources, results: {} };
}

/** A run that is interrupted while it writes leaves the file before. */
function writeState(state: State): void {
  writeFileSync(`${STATE}.new`, JSON.stringify(state, undefined, 2));
  renameSync(`${STATE}.new`, STATE);
}

/** Groups of test files that share a process, by proof. */
function groupsOf(proofs: readonly TestProof[], sources: readonly SourceFile[]): string[][][] {
  const { unit } = testKinds(sources);
  return proofs.map((proof) => {
    const files = filesOf(proof, sources);
    const units = sources.filter(({ path }) => files.includes(path) && unit.includes(path));
    const wides = files.filter((path) => !unit.includes(path));
    const groups = testGroups([], units, () => ({ seconds: 1, cores: 1 }));
    return [...wides.map((path) => [path]), ...groups.map((group) => [...group])];
  });
}

/** Runs proofs as children. Their process groups end with this process. */
class Runner {
  readonly #bundled: BundledTests;
  /** Bundled files by proof. */
  readonly #files: ReadonlyMap<string, readonly string[]>;
  readonly #temporary: string = temporaryFolder();
  readonly #children = new Set<ChildProcess>();

  private constructor(bundled: BundledTests, files: ReadonlyMap<string, readonly string[]>) {
    this.#bundled = bundled;
    this.#files = files;
  }

  static async prepare(proofs: readonly Proof[]): Promise<Runner> {
    const withTests = proofs.filter((proof) => 'files' in proof);
    const groups = groupsOf(withTests, sourceFiles(ROOT));
    const bundled = await bundleTests(
      groups.flat().map((group) => group.map((path) => join(ROOT, path))),
    );
    let at = 0;
    const files = groups.map((group, index): [string, readonly string[]] => {
      const own = bundled.files.slice(at, (at += group.length));
      return [withTests[index]?.name ?? '', own];
    });
    return new Runner(bundled, new Map(files));
  }

  async run(proof: Proof): Promise<Result> {
    const startedMs = performance.now();
    const path = (ending: string): string => join(FOLDER, `${proof.name}.${ending}`);
    rmSync(path('json'), { force: true });
    const task: ChildTask = {
      root: ROOT,
      outcome: path('json'),
      names: path('jsonl'),
      work: 'script' in proof ? { args: commandOf(proof).split(' ').slice(1) } : this.#work(proof),
    };
    const log = openSync(path('log'), 'w');
    const child = spawn(process.execPath, ['--import', 'tsx', CHILD, JSON.stringify(task)], {
      cwd: ROOT,
      stdio: ['ignore', log, log],
      detached: true,
      env: {
        ...process.env,
        ...('files' in proof ? variablesOf(proof) : {}),
        TMPDIR: this.#temporary,
        [FILLED_FOLDERS]: join(this.#temporary, 'filled'),
      },
    });
    closeSync(log);
    this.#children.add(child);
    await once(child, 'close');
    this.#children.delete(child);
    const seconds = (performance.now() - startedMs) / 1000;
    return { name: proof.name, seconds, ...outcomeOf(proof, child, path) };
  }

  #work(proof: TestProof): ChildTask['work'] {
    const files = this.#files.get(proof.name) ?? [];
    return { files, sources: [...this.#bundled.sources], flags: [], timeoutMs: TIMEOUT_MS };
  }

  stop(): void {
    for (const { pid } of this.#children) if (pid !== undefined) killGroup(pid);
    this.#bundled.remove();
    rmSync(this.#temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function outcomeOf(
  proof: Proof,
  child: ChildProcess,
  path: (ending: string) => string,
): Omit<Result, 'name' | 'seconds'> {
  const log = readFileSync(path('log'), 'utf8');
  if (!existsSync(path('json'))) {
    const end = `ended early: ${child.signalCode ?? `exit code ${child.exitCode}`}`;
    const nothing = { tests: 0, skipped: [], figures: [], cpuSeconds: 0, count: '' };
    return { ...nothing, passed: false, failed: [end] };
  }
  const outcome = JSON.parse(readFileSync(path('json'), 'utf8')) as Outcome;
  rmSync(path('json'));
  return { ...outcome, count: countOf(proof, outcome, log) };
}

function countOf(proof: Proof, { tests, skipped, figures }: Outcome, log: string): string {
  if ('script' in proof) return proof.count.exec(log)?.[0] ?? '';
  const env = Object.entries(proof.env).map((each) => each.join('='));
  const left = skipped.length === 0 ? [] : [`${skipped.length} skipped`];
  return [`${tests} tests`, ...left, ...env, ...figures].join('; ');
}

function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

function resultLine({ name, passed, seconds, cpuSeconds, count }: Result): string {
  const times = `${timeText(seconds).padStart(6)} ${timeText(cpuSeconds).padStart(6)}`;
  return `${passed ? 'ok    ' : 'FAILED'} ${name.padEnd(18)} ${times}  ${count}\n`;
}

function failureText(proof: Proof, { failed }: Result): string {
  const more = failed.length - SHOWN_FAILURES;
  return [
    ...failed.slice(0, SHOWN_FAILURES).map((each) => `    ${each}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
    `    log:    .proofs/${proof.name}.log`,
    `    repeat: ${repeatOf(proof)}\n`,
  ].join('\n');
}

/** A command that repeats a proof. */
function repeatOf(proof: Proof): string {
  const isNamed = 'script' in proof || proof.files !== 'properties';
  return isNamed ? commandOf(proof) : `npm run prove -- --only ${proof.name}`;
}

function closingTable(results: readonly Result[], left: number, wallSeconds: number): string {
  const sum = results.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
  const failed = results.filter(({ passed }) => !passed).length;
  const passed = `${results.length - failed} proofs passed, ${failed} failed`;
  const end = left === 0 ? passed : `${passed}, ${left} not run`;
  return [
    `\nresult ${'proof'.padEnd(18)}   time    CPU  tried\n`,
    ...results.map(resultLine),
    `${end}; ${timeText(wallSeconds)}, ${timeText(sum)} of CPU\n`,
  ].join('');
}

function listText(proofs: readonly Proof[]): string {
  const rows = proofs.map((proof) => [
    proof.name,
    `${proof.cpuMinutes} min`,
    proof.rooms.join(','),
    `${proof.what}: ${repeatOf(proof)}`,
  ]);
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const padded = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  const lines = rows.map(padded);
  const minutes = proofs.reduce((sum, { cpuMinutes }) => sum + cpuMinutes, 0);
  return `${lines.join('\n')}\n${proofs.length} proofs, about ${minutes} minutes of CPU\n`;
}

/** @throws {UsageError} for a name that is neither that of a proof nor that of a room */
function chosenProofs(only: readonly string[] | undefined): readonly Proof[] {
  if (only === undefined) return PROOFS;
  const names = new Set(PROOFS.flatMap(({ name, rooms }) => [name, ...rooms]));
  for (const each of only) {
    try {
      oneOf(each, [...names]);
    } catch (error) {
      throw new UsageError(`invalid --only "${each}": ${(error as Error).message}`);
    }
  }
  return PROOFS.filter((proof) => only.some((each) => isOf(proof, each)));
}

async function prove(proofs: readonly Proof[], processes: number, resumes: boolean): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  buildAll();
  const startedMs = performance.now();
  const sources = sourcesKey();
  const before = readState(sources).results;
  const done = new Map<string, Result>(
    resumes ? Object.entries(before).filter(([, { passed }]) => passed) : [],
  );
  const runner = await Runner.prepare(proofs.filter(({ name }) => !done.has(name)));
  const finish = (): void => {
    runner.stop();
    const results = proofs.flatMap(({ name }) => done.get(name) ?? []);
    process.stdout.write(
      closingTable(results, proofs.length - results.length, (performance.now() - startedMs) / 1000),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      finish();
      process.stdout.write('interrupted: npm run prove -- --resume goes on\n');
      process.exit(INTERRUPTED);
    });
  const run = async (proof: Proof): Promise<void> => {
    const result = await runner.run(proof);
    done.set(proof.name, result);
    writeState({ sources, results: { ...readState(sources).results, [proof.name]: result } });
    process.stdout.write(resultLine(result));
    if (!result.passed) process.stdout.write(failureText(proof, result));
  };
  for (const proof of proofs) {
    const earlier = done.get(proof.name);
    if (earlier !== undefined) process.stdout.write(`passed before: ${resultLine(earlier)}`);
  }
  const rest = proofs.filter(({ name }) => !done.has(name));
  await runJobs(
    rest.map((proof) => ({
      expected: { seconds: 60 * proof.cpuMinutes, cores: proof.isAlone === true ? processes : 1 },
      run: () => run(proof),
    })),
    { cores: processes, processes, freeBytes: 0 },
  );
  finish();
  if (proofs.some(({ name }) => done.get(name)?.passed !== true)) process.exitCode = 1;
}

const { values } = commandLine('prove');
const proofs = refuse(() => chosenProofs(values.only));
if (values.list) process.stdout.write(listText(proofs));
else if (values.node !== undefined) {
  buildAll();
  await proveNodes(ROOT, values.node);
} else await prove(proofs, values.processes, values.resume);
