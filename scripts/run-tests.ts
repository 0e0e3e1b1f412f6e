/**
 * Runs test files as `node --test` does and reports: one line a file as it ends, failures in full
 * at once and by name at the end, the slowest files, node:test's closing counts, and what was skipped and why.
 *
 * Two things that node:test lets pass fail here: a file without tests, and tests that never ended
 * because their process did.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import { runJobs, usualLimits, type Expected, type Job } from './schedule.ts';

/**
 * The part of node:test's events (https://nodejs.org/docs/latest-v20.x/api/test.html) that is read
 * here.
 */
export interface TestEvent {
  readonly type: string;
  readonly data: TestData;
}

interface TestData {
  readonly name?: string;
  readonly nesting?: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly skip?: string | boolean;
  readonly message?: string;
  readonly details?: {
    readonly type?: string;
    readonly duration_ms?: number;
    readonly error?: TestError;
  };
}

interface TestError {
  readonly failureType?: string;
  readonly cause?: unknown;
  /** Told of a process. */
  readonly exitCode?: number | null;
  readonly signal?: string | null;
}

/** What is known of one file until it ends. */
interface Running {
  /** As printed. */
  readonly path: string;
  begun: number;
  tests: number;
  /** Tests and suites. */
  ended: number;
  testsMs: number;
  /** Where the process runs no other files. */
  processMs?: number | undefined;
  isPrinted: boolean;
  readonly failures: string[];
  /** Names, with the reasons. */
  readonly skips: string[];
  said: string;
}

/** A file that hangs fails by name instead of stopping the gate. */
const FILE_TIMEOUT_MS = 300_000;
/** A failed file's own output is shown to so many characters from its end. */
const SAID_CHARACTERS_MAX = 8000;

/** A closing line: `tests 12`, `duration_ms 3.4`. */
const COUNT = /^([a-z_]+) ([\d.]+)$/;

export interface TestRun {
  /** Paths, each run in a process of its own. */
  readonly files: readonly string[];
  /** Node's, for each file; those of this process where not given. */
  readonly flags?: readonly string[];
  /** The test files that a file was made of; where not given it is one itself. */
  readonly sources?: Sources;
  /** Receives all that tests report. */
  readonly hear?: (event: TestEvent) => void;
  /** Expected time of a file; where not given all are alike. */
  readonly expected?: (file: string) => Expected;
  /** A longer run of a file fails; five minutes where not given. */
  readonly timeoutMs?: number;
  /** Receives the text of the report; standard output where not given. */
  readonly write?: (text: string) => void;
}

type Sources = ReadonlyMap<string, readonly string[]>;

/** Time of one process of tests, which ran one test file or several. */
export interface ProcessCost {
  /** Test files, as printed. */
  readonly paths: readonly string[];
  readonly wallSeconds: number;
  /** CPU time of the process and of the children that it waited for; 0 if the process was killed. */
  readonly cpuSeconds: number;
  /** Time of the tests of each path. */
  readonly testSeconds: readonly number[];
}

/** Test files as jobs of a schedule, and their report. */
export interface TestJobs {
  readonly jobs: readonly Job[];
  /** Prints the closing lines, once all jobs have ended. @returns whether every test passed or was skipped */
  readonly close: () => boolean;
  /** Costs of the processes that have ended. */
  readonly costs: () => readonly ProcessCost[];
}

const ALIKE: Expected = { seconds: 1, cores: 1 };

export function testJobs(options: TestRun): TestJobs {
  const { files, flags, sources = new Map(), hear, expected = () => ALIKE } = options;
  const { write = (text) => void process.stdout.write(text) } = options;
  const { timeoutMs = FILE_TIMEOUT_MS } = options;
  // Every memory that a test, or a server that it starts, makes is a checked one unless it says otherwise.
  process.env['CHECK_MEMORY'] ??= 'true';
  // On Node 20 node:test takes the flags of its files from here.
  if (flags !== undefined) process.execArgv = [...flags];
  const folder = mkdtempSync(join(tmpdir(), 'prorata-costs-'));
  const costsPath = join(folder, 'costs.jsonl');
  process.env['TEST_COSTS'] = costsPath;
  const reports = new Map<string, Report>();
  const startedMs = performance.now();
  const jobs = files.map((file): Job => ({
    expected: expected(file),
    run: async () => {
      const report = new Report(file, sources);
      reports.set(file, report);
      for await (const event of run({ files: [file], timeout: timeoutMs })) {
        hear?.(event);
        report.hear(event);
      }
      write(report.end());
    },
  }));
  let costs: readonly ProcessCost[] | undefined;
  const read = (): readonly ProcessCost[] => (costs ??= readCosts(costsPath, reports));
  const close = (): boolean => {
    read();
    rmSync(folder, { recursive: true, force: true });
    const seconds = (performance.now() - startedMs) / 1000;
    return closeReports([...reports.values()], seconds, write);
  };
  return { jobs, close, costs: read };
}

/** @returns whether every test passed or was skipped */
export async function runTests(
  options: TestRun & { readonly processes: number },
): Promise<boolean> {
  const { jobs, close } = testJobs(options);
  const { processes } = options;
  await runJobs(jobs, { ...usualLimits(), cores: Infinity, processes });
  return close();
}

function readCosts(path: string, reports: ReadonlyMap<string, Report>): ProcessCost[] {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  const read = lines.map((line) => JSON.parse(line) as { file: string; cpuSeconds: number });
  const cpuSeconds = new Map(read.map((each) => [each.file, each.cpuSeconds]));
  return [...reports].map(([file, { group, wallSeconds }]) => ({
    paths: group.map((each) => each.path),
    wallSeconds,
    cpuSeconds: cpuSeconds.get(file) ?? 0,
    testSeconds: group.map(({ testsMs }) => testsMs / 1000),
  }));
}

function closeReports(
  reports: readonly Report[],
  seconds: number,
  write: (text: string) => void,
): boolean {
  const list = (pick: (at: Running) => readonly string[]): string[] =>
    reports.flatMap(({ group }) =>
      group.flatMap((at) => pick(at).map((each) => `  ${at.path}: ${each}\n`)),
    );
  const [skipped, failed] = [list((at) => at.skips), list((at) => at.failures)];
  const counts = new Map<string, number>();
  for (const [name, count] of reports.flatMap((each) => [...each.counts]))
    counts.set(name, (counts.get(name) ?? 0) + count);
  counts.set('duration_ms', seconds * 1000);
  write(`\n${[...counts].map(([name, count]) => `# ${name} ${count}\n`).join('')}`);
  write(skipped.length === 0 ? '\nnothing was skipped\n' : `\nskipped:\n${skipped.join('')}`);
  if (failed.length > 0) write(`\nfailed:\n${failed.join('')}`);
  return failed.length === 0;
}

/** Report of one process. */
class Report {
  /** The test files of the process, in their order. */
  readonly group: readonly Running[];
  /** node:test's closing counts by name. */
  readonly counts: Map<string, number> = new Map();
  wallSeconds = 0;
  readonly #startedMs: number = performance.now();
  readonly #file: string;
  readonly #sources: Sources;
  readonly #byPath: ReadonlyMap<string, Running | undefined>;
  #said = '';
  #last: Running | undefined;

  constructor(file: string, sources: Sources) {
    this.#file = file;
    this.#sources = sources;
    const paths = sources.get(file) ?? [file];
    this.group = paths.map(begin);
    this.#byPath = new Map(paths.map((path, index) => [path, this.group[index]]));
  }

  hear({ type, data }: TestEvent): void {
    const { file, name, nesting, message = '' } = data;
    const count = COUNT.exec(message);
    if (type === 'test:diagnostic' && nesting === 0 && count !== null)
      this.counts.set(count[1] ?? '', Number(count[2]));
    // What went wrong between tests, or after the last: the process ends with an exit code, no test fails.
    else if (type === 'test:diagnostic' && message.startsWith('Error: '))
      this.#said += `  ${message}\n`;
    const [first] = this.group;
    if (file === undefined || first === undefined) return;
    if (name === file && file === this.#file) {
      if (type === 'test:complete' && this.group.length === 1)
        first.processMs = details(data).duration_ms;
      if (type === 'test:fail') this.#said += failProcess(this.group, details(data).error);
      return;
    }
    // Output comes with the name of the process's file: it is of the test file that ran last.
    const at = this.#of(file) ?? this.#last ?? first;
    if (type === 'test:enqueue') at.begun++;
    const inTurn = IN_TURN[type];
    if (inTurn === undefined) return;
    if (this.#last !== undefined && this.#last !== at) this.#said += finish(this.#last);
    this.#last = at;
    this.#said += inTurn(at, data);
  }

  #of(file: string): Running | undefined {
    if (file === this.#file && this.group.length > 1) return undefined;
    return this.#byPath.get(this.#sources.get(file)?.[0] ?? file);
  }

  /** @returns what to print */
  end(): string {
    this.wallSeconds = (performance.now() - this.#startedMs) / 1000;
    return this.#said + this.group.map(finish).join('');
  }
}

/**
 * An error of a process is its own where no test accounts for it.
 * @returns what to print: what a process of several files said, as no file of it accounts for that
 */
function failProcess(group: readonly Running[], error: TestError | undefined): string {
  const isKnown = group.length > 1 && group.some((at) => at.failures.length > 0);
  if (error === undefined || isKnown) return '';
  const { cause, exitCode = null, signal = null } = error;
  const end = signal ?? (exitCode === null ? '' : `exit code ${exitCode}`);
  group.at(-1)?.failures.push(end === '' ? String(cause) : `${String(cause)}, ${end}`);
  return group.length > 1 ? indented(group.map(({ said }) => said).join('')) : '';
}

function finish(at: Running): string {
  if (at.isPrinted) return '';
  at.isPrinted = true;
  return end(at);
}

function details(data: TestData): NonNullable<TestData['details']> {
  return data.details ?? {};
}

/** What comes file by file, and what to print then. */
const IN_TURN: Readonly<Record<string, (at: Running, data: TestData) => string>> = {
  'test:pass': endTest,
  'test:fail': endTest,
  'test:stdout': hear,
  'test:stderr': hear,
};

function begin(file: string): Running {
  const path = relative(process.cwd(), file);
  const nothing = { begun: 0, tests: 0, ended: 0, testsMs: 0, said: '', isPrinted: false };
  return { path, ...nothing, failures: [], skips: [] };
}

function hear(at: Running, { message = '' }: TestData): string {
  at.said = (at.said + message).slice(-SAID_CHARACTERS_MAX);
  return '';
}

/** @returns what to print: nothing, unless the test failed */
function endTest(at: Running, data: TestData): string {
  const { name = '', nesting, skip } = data;
  const { error, type, duration_ms: ms = 0 } = details(data);
  at.ended++;
  if (nesting === 0) at.testsMs += ms;
  if (type !== 'suite') at.tests++;
  if (skip !== undefined && skip !== false)
    at.skips.push(`${name} (${skip === true || skip === '' ? 'no reason given' : skip})`);
  if (error === undefined || error.failureType === 'subtestsFailed') return '';
  at.failures.push(name);
  return `FAILED ${name} (line ${sourceLine(data)})\n${indented(inspect(error.cause))}\n`;
}

/** The line of the test's source, where the file that ran has a map of it. */
function sourceLine({ file = '', line = 1, column = 1 }: TestData): number {
  const path = `${file}.map`;
  if (!existsSync(path)) return line;
  const map = new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
  const entry = map.findEntry(line - 1, column - 1);
  return 'originalLine' in entry ? entry.originalLine + 1 : line;
}

function end(at: Running): string {
  if (at.ended < at.begun) at.failures.push(`${at.begun - at.ended} tests never ended`);
  if (at.tests + at.skips.length + at.failures.length === 0) at.failures.push('has no tests');
  const isFine = at.failures.length === 0;
  const said = isFine || at.said === '' ? '' : `${indented(at.said.trimEnd())}\n`;
  const skips = at.skips.length === 0 ? '' : `, ${at.skips.length} skipped`;
  const seconds = ((at.processMs ?? at.testsMs) / 1000).toFixed(1);
  return `${said}${isFine ? 'ok    ' : 'FAILED'} ${at.path}: ${at.tests} tests${skips}, ${seconds} s\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
