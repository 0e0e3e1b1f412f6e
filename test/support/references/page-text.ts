/** The samples of a page of the text format, by expressions over the whole text: slow, and easy to follow. */

export interface PageSample {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** Undefined without one. */
  readonly timeMs: number | undefined;
}

const LABEL = /^[ \t]*([a-zA-Z_][a-zA-Z0-9_]*)[ \t]*=[ \t]*"((?:\\[\\"n]|[^"\\])*)"[ \t]*(,|$)/u;
const SAMPLE =
  /^(\w+)(?:[ \t]*\{((?:[^"}]|"(?:\\.|[^"\\])*")*)\}[ \t]*|[ \t]+)([^ \t]+)(?:[ \t]+(-?\d{1,16}))?[ \t]*(?:[ \t]#.*)?$/u;
const VALUE = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** @returns samples of the metrics, and how many of their lines are none */
export function samplesIn(
  text: string,
  metrics: readonly string[],
): { samples: PageSample[]; malformed: number } {
  const samples: PageSample[] = [];
  let malformed = 0;
  for (const line of text.split('\n')) {
    const name = /^(\w+)[ \t{]/.exec(line)?.[1];
    if (name === undefined || !metrics.includes(name)) continue;
    const sample = sampleIn(line);
    if (sample === undefined) malformed++;
    else samples.push(sample);
  }
  return { samples, malformed };
}

function sampleIn(line: string): PageSample | undefined {
  const [, metric = '', inside = '', number = '', time] = SAMPLE.exec(line) ?? [];
  const labels = labelsIn(inside);
  const value = valueOf(number);
  if (metric === '' || labels === undefined || value === undefined) return undefined;
  return { metric, labels, value, timeMs: time === undefined ? undefined : Number(time) };
}

function labelsIn(inside: string): Record<string, string> | undefined {
  const labels = new Map<string, string>();
  let rest = inside;
  while (rest.trim() !== '') {
    const [whole = '', name = '', escaped = ''] = LABEL.exec(rest) ?? [];
    if (whole === '' || labels.has(name)) return undefined;
    const plain = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };
    labels.set(
      name,
      escaped.replaceAll(/\\[\\"n]/g, (two) => plain[two as keyof typeof plain]),
    );
    rest = rest.slice(whole.length);
  }
  return Object.fromEntries(labels);
}

function valueOf(text: string): number | undefined {
  if (/^nan$/i.test(text)) return NaN;
  const infinite = /^([+-]?)inf(inity)?$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  return VALUE.test(text) ? Number(text) : undefined;
}
