/** The line of progress, on simulated terminals. */
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { createProgress } from '../../src/terminal/progress.ts';
import type { Terminal } from '../../src/terminal/progress-line.ts';
import { FACTS, USAGE, type ReadEvent } from '../../src/metrics/index.ts';

const ESC = '\u001b';
const CONTROL = new RegExp(`\\r|${ESC}\\[[0-9;]*[mK]`, 'g');

interface Screen extends Terminal {
  /** The last line written, without control sequences. */
  shown(): string;
  readonly written: string[];
}

function screen(isTTY: boolean, columns: number = 120): Screen {
  const written: string[] = [];
  return {
    isTTY,
    columns,
    written,
    write: (text) => written.push(text),
    shown: () => (written.at(-1) ?? '').replaceAll(CONTROL, ''),
  };
}

const MIB = 2 ** 20;
const CPU = USAGE.cpu.metric;
const PODS = FACTS.podInfo.selection.metric;

function batch(metric: string, series: number): ReadEvent {
  return { metric, bytes: MIB, series, isDone: false };
}

function done(metric: string): ReadEvent {
  return { metric, bytes: 0, series: 0, isDone: true };
}

const SILENT: readonly (readonly [why: string, terminal: Screen, env: Record<string, string>])[] = [
  ['standard error is no terminal', screen(false), {}],
  ['the terminal is dumb', screen(true), { TERM: 'dumb' }],
];

for (const [why, terminal, env] of SILENT)
  test(`nothing is written when ${why}`, () => {
    const progress = createProgress(terminal, env);
    progress.onRead(batch(CPU, 10));
    progress.onSet(1, 2);
    progress.end();
    assert.deepEqual(terminal.written, []);
  });

test('the line shows the metric, its bytes and series so far, and the completed reads', () => {
  const terminal = screen(true);
  let nowMs = 0;
  const progress = createProgress(terminal, {}, () => nowMs);
  for (const event of [batch(CPU, 10), batch(CPU, 5), done(CPU), batch(PODS, 7)]) {
    nowMs += 1000;
    progress.onRead(event);
  }
  assert.match(terminal.shown(), / 1\/\d+ reads {2}kube_pod_info {2}1\.0 MiB, 7 series$/);
  assert.match(
    terminal.written[1] ?? '',
    /container_cpu_usage_seconds_total {2}2\.0 MiB, 15 series/,
  );
});

test('the remaining time is estimated from the work done, and falls', () => {
  const terminal = screen(true);
  let nowMs = 0;
  const progress = createProgress(terminal, {}, () => nowMs);
  const etas: number[] = [];
  for (const metric of [...Object.values(FACTS).map((f) => f.selection.metric), CPU]) {
    nowMs += 200;
    progress.onRead(done(metric));
    const eta = / ETA (\d+):(\d\d)/.exec(terminal.shown());
    if (eta) etas.push(Number(eta[1]) * 60 + Number(eta[2]));
  }
  assert.ok(etas.length > 3, `${etas.length} estimates`);
  assert.ok((etas.at(-1) ?? NaN) <= (etas[0] ?? NaN), etas.join(' '));
});

test('written sets are counted to the end', () => {
  const terminal = screen(true);
  let nowMs = 0;
  const progress = createProgress(terminal, {}, () => nowMs);
  for (let set = 1; set <= 3; set++) {
    nowMs += 1000;
    progress.onSet(set, 3);
  }
  assert.match(terminal.shown(), /^█+ 100% ETA 0:00 {2}sets 3\/3$/);
});

test('the line is drawn at most ten times a second, fits the terminal, and is removed', () => {
  const terminal = screen(true, 40);
  let nowMs = 0;
  const progress = createProgress(terminal, {}, () => nowMs);
  for (; nowMs < 1000; nowMs++) progress.onRead(batch(CPU, 1));
  assert.equal(terminal.written.length, 10);
  assert.ok(terminal.shown().length < 40, terminal.shown());
  progress.end();
  assert.equal(terminal.written.at(-1), `\r${ESC}[2K`);
});

for (const [env, isColoured] of [
  [{}, true],
  [{ NO_COLOR: '' }, true],
  [{ NO_COLOR: '1' }, false],
] as const)
  test(`with ${JSON.stringify(env)} the bar is ${isColoured ? '' : 'not '}coloured`, () => {
    const terminal = screen(true);
    createProgress(terminal, env).onSet(1, 1);
    assert.equal(terminal.written[0]?.includes(`${ESC}[32m`), isColoured);
  });
