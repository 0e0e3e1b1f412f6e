/** A push as a bill: lines of JSON (https://github.com/ndjson/ndjson-spec) become lines of FOCUS. */
import { Fault, readBoundedJson, type Window } from '../../query/index.ts';
import { focusLine, FOCUS_HEADER } from './pushed-cost.ts';

const EXAMPLE = '{"start":…,"end":…,"domain":"datadog","billedCost":12.5}, one object a line';

/**
 * Blank lines do not count.
 * @throws {Fault} naming the first line that is wrong, and its field
 */
export function pushCsv(text: string, window: Window): string {
  const lines = text.split('\n').flatMap((line, i) => {
    if (line.trim() === '') return [];
    const what = `line ${i + 1}`;
    return [focusLine(readBoundedJson(line, what, EXAMPLE), what, window)];
  });
  if (lines.length > 0) return `${[FOCUS_HEADER, ...lines].join('\n')}\n`;
  throw new Fault('the body has no line', { hint: `for example ${EXAMPLE}` });
}
