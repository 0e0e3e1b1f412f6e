/**
 * Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/), version 0.0.4. Not by
 * prom-client: what is told lives in the parts and is read when it is asked for, so that nothing remains for a
 * library to keep; its histograms look labels up by a text of them for each request.
 */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** Such as `_bucket`. */
  readonly suffix?: string;
}

/** All samples of one name. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** One number. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ value }] };
}

export function counter(name: string, help: string, value: number): Family {
  return { name, help, type: 'counter', samples: [{ value }] };
}

/** A number for each of a table's values of one label, which are few and not a client's. */
export function byLabel(
  family: Omit<Family, 'samples'>,
  label: string,
  values: Iterable<readonly [string, number]>,
): Family {
  const samples = Array.from(values, ([of, value]) => ({ labels: { [label]: of }, value }));
  return { ...family, samples };
}

export function exposition(families: readonly Family[]): string {
  return families.map(familyText).join('');
}

function familyText({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ labels, value, suffix = '' }) =>
      `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`,
  );
  return `# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Sample['labels']): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`,
  );
  return `{${pairs.join(',')}}`;
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`;
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}
