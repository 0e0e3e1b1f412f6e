/** The figures of the scale benchmark as Markdown: tables, and the curve as a chart. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Refused, ScaleFigures } from './scale-run.ts';

type Result = ScaleFigures | Refused;
type Cell = (figures: ScaleFigures, exact: ScaleFigures | undefined) => string;

const README = fileURLToPath(new URL('./README.md', import.meta.url));
const BEGIN = '<!-- scale: written by npm run bench -- scale --write -->';
const END = '<!-- /scale -->';

const COLUMNS: Readonly<Record<string, Cell>> = {
  containers: ({ containers }) => containers.toLocaleString('en-US'),
  resolution: ({ resolution }) => resolution,
  download: ({ downloadMs }) => `${downloadMs.toFixed(0)} ms`,
  'one by one': ({ inTurnMs }) => `${inTurnMs.toFixed(0)} ms`,
  'all it reads': ({ allMs }) => `${allMs.toFixed(0)} ms`,
  query: ({ queryMs }) => `${queryMs.toFixed(0)} ms`,
  ratio: ({ queryMs, downloadMs }) => `${(queryMs / downloadMs).toFixed(2)}×`,
  'to one by one': ({ queryMs, inTurnMs }) => `${(queryMs / inTurnMs).toFixed(2)}×`,
  'to all': ({ queryMs, allMs }) => `${(queryMs / allMs).toFixed(2)}×`,
  'CPU time': ({ serverCpuMs }) => `${serverCpuMs.toFixed(0)} ms`,
  'peak resident': (figures) => `${(figures.peakBytes / 1e6).toFixed(0)} MB`,
  checksum: ({ totals }) => (totals.cpuCoreHours + totals.totalCost).toPrecision(10),
  'cost / exact': ({ totals }, exact) => ofExact(totals.totalCost, exact?.totals.totalCost),
  'CPU used / exact': ({ totals }, exact) =>
    ofExact(totals.cpuUsageCoreHours, exact?.totals.cpuUsageCoreHours),
};
const BY_SIZE = [
  'containers',
  'resolution',
  'download',
  'one by one',
  'all it reads',
  'query',
  'ratio',
  'to one by one',
  'to all',
];
const BY_RESOLUTION = ['resolution', 'query', 'ratio', 'to all', 'CPU time'];

export function sizeTable(results: readonly Result[]): string {
  return table([...BY_SIZE, 'CPU time', 'peak resident', 'checksum'], results);
}

export function resolutionTable(results: readonly Result[]): string {
  const more = ['peak resident', 'cost / exact', 'CPU used / exact'];
  return table([...BY_RESOLUTION, ...more], results);
}

/** Seconds by containers; a size that was refused is left out. */
export function sizeChart(results: readonly Result[]): string {
  const figures = results.filter((result): result is ScaleFigures => !('refusal' in result));
  const ofResolution = (name: string): ScaleFigures[] =>
    figures.filter(({ resolution }) => resolution === name);
  const line = (values: readonly number[]): string =>
    `  line [${values.map((ms) => (ms / 1000).toFixed(2)).join(', ')}]`;
  const exact = ofResolution('exact');
  return [
    '```mermaid',
    'xychart-beta',
    '  title "Seconds by containers: bare download (lowest), 1m, exact"',
    `  x-axis [${exact.map(({ containers }) => containers).join(', ')}]`,
    '  y-axis "seconds"',
    line(exact.map(({ downloadMs }) => downloadMs)),
    ...['1m', 'exact'].map((name) => line(ofResolution(name).map(({ queryMs }) => queryMs))),
    '```',
  ].join('\n');
}

/** Puts `text` in the place of what the last run wrote. */
export function writeReport(text: string): void {
  const readme = readFileSync(README, 'utf8');
  const [begin, end] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${README} has no place for it: ${BEGIN}`);
  const before = readme.slice(0, begin + BEGIN.length);
  writeFileSync(README, `${before}\n\n${text}\n\n${readme.slice(end)}`);
}

function table(names: readonly string[], results: readonly Result[]): string {
  const exact = results.find(isExact);
  const rows = results.map((result) =>
    'refusal' in result
      ? [`${result.containers}, ${result.resolution}: ${result.refusal}`]
      : names.map((name) => COLUMNS[name]?.(result, exact) ?? ''),
  );
  const lines = [names, names.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function isExact(result: Result): result is ScaleFigures {
  return !('refusal' in result) && result.resolution === 'exact';
}

function ofExact(value: number, exact: number | undefined): string {
  return exact === undefined ? '' : (value / exact).toFixed(6);
}
