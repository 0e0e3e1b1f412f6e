/** What who helps with a server would ask for: a finding each. */

export interface Finding {
  readonly section: string;
  readonly name: string;
  readonly value: string;
  /** `warning` wants a look; `bad` keeps something from working. */
  readonly state: 'ok' | 'warning' | 'bad';
  readonly hint?: string;
}

export type Found = Omit<Finding, 'section'>;

export function found(name: string, value: string | number): Found {
  return { name, value: String(value), state: 'ok' };
}

export function foundThat(
  name: string,
  value: string | number,
  state: Finding['state'],
  hint: string,
): Found {
  return state === 'ok' ? found(name, value) : { name, value: String(value), state, hint };
}

export function inSection(section: string, all: readonly Found[]): Finding[] {
  return all.map((each) => ({ section, ...each }));
}

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: ' ', warning: '!', bad: 'X' };

/** Lines by section; what wants a look begins with a mark, and has its hint below it. */
export function textOf(findings: readonly Finding[]): string {
  const sections = [...new Set(findings.map(({ section }) => section))];
  const width = Math.max(...findings.map(({ name }) => name.length));
  const lines = sections.flatMap((section) => [
    section,
    ...findings
      .filter((each) => each.section === section)
      .flatMap(({ name, value, state, hint }) => [
        `${MARKS[state]} ${name.padEnd(width)}  ${value}`,
        ...(hint === undefined ? [] : [`  ${''.padEnd(width)}  ${hint}`]),
      ]),
    '',
  ]);
  const count = (state: Finding['state']): number =>
    findings.filter((each) => each.state === state).length;
  return `${lines.join('\n')}${count('bad')} bad, ${count('warning')} to look at\n`;
}
