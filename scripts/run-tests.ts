/**
 * Runs test files as `node --test` does and reports: one line a file as it ends, failures in full
 * at once and by name at the end, node:test's closing counts, and what was skipped and why.
 *
 * Two things that node:test lets pass fail here: a file without tests, and tests that never ended
 * because their process did.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';

/**
 * The part of node:test's events (https://nodejs.org/docs/latest-v20.x/api/test.html) that is read
 * here. Results and output come file by file, whichever ran first.
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
const COUNT = /^[a-z_]+ [\d.]+$/;

export interface TestRun {
  /** Paths, in the order in which they are begun, each in a process of its own. */
  readonly files: readonly string[];
  readonly processes: number;
  /** Node's, for each file; those of this process where not given. */
  readonly flags?: readonly string[];
  /** The test files that a file was made of; where not given it is one itself. */
  readonly sources?: Sources;
  /** Hears all that tests report. */
  readonly hear?: (event: TestEvent) => void;
}

type Sources = ReadonlyMap<string, readonly string[]>;

/** @returns whether every test passed or was skipped */
export function runTests({ files, processes, flags, sources, hear }: TestRun): Promise<boolean> {
  // Every memory that a test, or a server that it starts, makes is a checked one unless it says otherwise.
  process.env['CHECK_MEMORY'] ??= 'true';
  // On Node 20 node:test takes the flags of its files from here.
  if (flags !== undefined) process.execArgv = [...flags];
  const events = run({ files: [...files], concurrency: processes, timeout: FILE_TIMEOUT_MS });
  return report(heard(events, hear), (text) => process.stdout.write(text), sources);
}

async function* heard(
  events: AsyncIterable<TestEvent>,
  hear: TestRun['hear'],
): AsyncGenerator<TestEvent> {
  for await (const event of events) {
    hear?.(event);
    yield event;
  }
}

/** @returns whether every test passed or was skipped */
export async function report(
  events: AsyncIterable<TestEvent>,
  write: (text: string) => void,
  sources: Sources = new Map(),
): Promise<boolean> {
  const files = new Map<string, Running>();
  const counts: string[] = [];
  const found = (file: string): Running => {
    const at = files.get(file) ?? begin(file);
    files.set(file, at);
    return at;
  };
  let last: Running | undefined;
  const turnTo = (at: Running): Running => {
    if (last !== undefined && last !== at) finish(last, write);
    last = at;
    return at;
  };
  for await (const { type, data } of events) {
    const { file, name, nesting, message = '' } = data;
    if (type === 'test:diagnostic' && nesting === 0 && COUNT.test(message)) counts.push(message);
    if (file === undefined) continue;
    const group = (sources.get(file) ?? [file]).map(found);
    const [first] = group;
    if (first === undefined) continue;
    if (name === file) {
      if (type === 'test:complete' && group.length === 1)
        first.processMs = details(data).duration_ms;
      if (type === 'test:fail') write(failProcess(group, details(data).error));
      continue;
    }
    const inTurn = IN_TURN[type];
    if (type === 'test:enqueue') first.begun++;
    // Output comes with the name of the process's file: it is of whichever test file is in turn.
    const at = group.length > 1 && last !== undefined && group.includes(last) ? last : first;
    if (inTurn !== undefined) write(inTurn(turnTo(at), data));
  }
  for (const at of files.values()) finish(at, write);
  const list = (pick: (at: Running) => readonly string[]): string[] =>
    [...files.values()].flatMap((at) => pick(at).map((each) => `  ${at.path}: ${each}\n`));
  const [skipped, failed] = [list((at) => at.skips), list((at) => at.failures)];
  write(`\n${counts.map((each) => `# ${each}\n`).join('')}`);
  write(skipped.length === 0 ? '\nnothing was skipped\n' : `\nskipped:\n${skipped.join('')}`);
  if (failed.length > 0) write(`\nfailed:\n${failed.join('')}`);
  return failed.length === 0;
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

function finish(at: Running, write: (text: string) => void): void {
  if (at.isPrinted) return;
  at.isPrinted = true;
  write(end(at));
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
  if (at.ended === 0 && at.failures.length === 0) at.failures.push('has no tests');
  const isFine = at.failures.length === 0;
  const said = isFine || at.said === '' ? '' : `${indented(at.said.trimEnd())}\n`;
  const skips = at.skips.length === 0 ? '' : `, ${at.skips.length} skipped`;
  const seconds = ((at.processMs ?? at.testsMs) / 1000).toFixed(1);
  return `${said}${isFine ? 'ok    ' : 'FAILED'} ${at.path}: ${at.tests} tests${skips}, ${seconds} s\n`;
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
