/** PromQL text of selections, made only of metrics of the catalogue and escaped values. */
import { withoutOwn } from '../own-series.ts';
import type { Matcher, Selection, Together } from '../source.ts';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/**
 * `metric{label="value",…}`, or `{__name__=~"metric|…"}`
 * (https://prometheus.io/docs/prometheus/latest/querying/basics/#time-series-selectors).
 * @throws Error "BUG:" for a metric or label that is not a name
 */
export function selectorText(selection: Selection | Together): string {
  const text = (matchers: readonly Matcher[]): string => `{${matchers.map(matcherText).join(',')}}`;
  if ('metrics' in selection) return text(matchersOf(selection));
  return named(selection.metric) + text(matchersOf(selection));
}

/** Beside the name of a single metric. Series that are our own are left out. */
export function matchersOf(selection: Selection | Together): readonly Matcher[] {
  if ('metrics' in selection) {
    const { metrics, matchers = [] } = selection;
    return [nameAmong(selection), ...matchers, ...withoutOwn(metrics)];
  }
  return [...selection.matchers, ...withoutOwn([selection.metric])];
}

/** The same of series that match further matchers, too. */
export function narrowed<What extends Selection | Together>(
  what: What,
  further: readonly Matcher[] = [],
): What {
  return further.length === 0
    ? what
    : { ...what, matchers: [...(what.matchers ?? []), ...further] };
}

/** Names of metrics have no special characters of regular expressions. */
function nameAmong({ metrics }: Together): Matcher {
  return { label: '__name__', operator: '=~', value: metrics.map(named).join('|') };
}

function named(metric: string): string {
  if (!NAME.test(metric)) throw new Error(`BUG: '${metric}' is not the name of a metric`);
  return metric;
}

function matcherText({ label, operator, value }: Matcher): string {
  if (!LABEL.test(label)) throw new Error(`BUG: '${label}' is not the name of a label`);
  return `${label}${operator}"${escape(value)}"`;
}

/** Escapes for double quotes (the string literals of PromQL follow Go's). */
function escape(value: string): string {
  return value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character] ?? character);
}
