/**
 * Runs one proof in a process of its own, as its tests have an environment of their own. Its argument is a
 * `ChildTask` in JSON; its output is the log, and the outcome goes into a file.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { runTests, type TestEvent } from '../run-tests.ts';

export interface ChildTask {
  readonly root: string;
  /** Where the outcome goes. */
  readonly outcome: string;
  /** Where a line of JSON a test goes: path, name, result. */
  readonly names: string;
  readonly work: TestWork | ScriptWork;
}

export interface TestWork {
  readonly files: readonly string[];
  readonly sources: readonly (readonly [file: string, sources: readonly string[]])[];
  readonly flags: readonly string[];
  readonly timeoutMs: number;
}

export interface ScriptWork {
  readonly args: readonly string[];
}

export interface Outcome {
  readonly passed: boolean;
  readonly tests: number;
  readonly skipped: readonly string[];
  readonly failed: readonly string[];
  /** What tests measured of promises. */
  readonly figures: readonly string[];
  /** CPU time of the process and of all children that it waited for. */
  readonly cpuSeconds: number;
}

const FIGURE = /^measured (\S+: .*)/;
const TICKS_PER_SECOND = 100;

type Counted = Omit<Outcome, 'cpuSeconds'>;

async function runFiles(work: TestWork, root: string, names: string): Promise<Counted> {
  const lines: string[] = [];
  const figures: string[] = [];
  const [skipped, failed]: [string[], string[]] = [[], []];
  const sources = new Map(work.sources);
  const hear = ({ type, data }: TestEvent): void => {
    const figure = FIGURE.exec(data.message ?? '')?.[1];
    if (type === 'test:diagnostic' && figure !== undefined) figures.push(figure);
    const { name = '', file = '', skip, details } = data;
    if ((type !== 'test:pass' && type !== 'test:fail') || name === file) return;
    if (details?.type === 'suite') return;
    const isSkipped = skip !== undefined && skip !== false;
    const path = relative(root, sources.get(file)?.[0] ?? file);
    if (isSkipped) skipped.push(`${path}: ${name}`);
    if (type === 'test:fail') failed.push(`${path}: ${name}`);
    const result = isSkipped ? 'skip' : type.slice('test:'.length);
    lines.push(`${JSON.stringify({ path, name, result })}\n`);
  };
  const { files, flags, timeoutMs } = work;
  const passed = await runTests({ files, sources, flags, timeoutMs, hear, processes: 1 });
  writeFileSync(names, lines.join(''));
  return { passed, tests: lines.length, skipped, failed, figures };
}

async function runScript({ args }: ScriptWork, cwd: string): Promise<Counted> {
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  await once(child, 'close');
  const passed = child.exitCode === 0;
  const end = child.signalCode ?? `exit code ${child.exitCode}`;
  return { passed, tests: 0, skipped: [], failed: passed ? [] : [end], figures: [] };
}

/** proc(5): fields 14 to 17 are utime, stime, cutime and cstime. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0) / TICKS_PER_SECOND;
}

const { root, outcome, names, work } = JSON.parse(process.argv[2] ?? '') as ChildTask;
const counted = 'args' in work ? await runScript(work, root) : await runFiles(work, root, names);
const whole: Outcome = { ...counted, cpuSeconds: cpuSeconds() };
writeFileSync(outcome, JSON.stringify(whole));
if (!whole.passed) process.exitCode = 1;
