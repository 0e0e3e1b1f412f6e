/** Label matchers like Prometheus': an absent label is empty, expressions are anchored. */
import { refuse } from '../query/index.ts';
import type { Matcher } from './source.ts';

export type Labels = Readonly<Record<string, string>>;

/** @throws {Fault} for a regular expression that does not compile */
export function compileMatchers(matchers: readonly Matcher[]): (labels: Labels) => boolean {
  const tests = matchers.map((matcher) => ({ label: matcher.label, test: compile(matcher) }));
  return (labels) => tests.every(({ label, test }) => test(valueOf(labels, label)));
}

function valueOf(labels: Labels, label: string): string {
  return Object.hasOwn(labels, label) ? (labels[label] ?? '') : '';
}

function compile({ label, operator, value }: Matcher): (text: string) => boolean {
  switch (operator) {
    case '=':
      return (text) => text === value;
    case '!=':
      return (text) => text !== value;
    case '=~': {
      const expression = anchored(label, value);
      return (text) => expression.test(text);
    }
    case '!~': {
      const expression = anchored(label, value);
      return (text) => !expression.test(text);
    }
  }
}

function anchored(label: string, value: string): RegExp {
  try {
    return new RegExp(`^(?:${value})$`, 'su');
  } catch {
    throw refuse(`matcher of ${label}`, value, 'a regular expression', 'a|b.*');
  }
}
