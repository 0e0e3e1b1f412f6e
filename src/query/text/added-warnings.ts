/** Warnings of several sets as those of one answer: amounts of money are those of all sets together. */

interface MoneyWarning {
  /** With the groups `before`, `usd` and `after`. */
  readonly pattern: RegExp;
  readonly usd: (sum: number) => string;
}

const MONEY: readonly MoneyWarning[] = [
  {
    pattern: /^(?<before>.+; \$)(?<usd>\d+(\.\d+)?)(?<after> is charged to __unmounted__)$/,
    usd: (sum) => sum.toFixed(2),
  },
  {
    pattern:
      /^(?<before>allocations (exceed|on) .+ \$)(?<usd>[\d.e-]+)(?<after>: nothing is idle there)$/,
    usd: (sum) => String(Number(sum.toPrecision(12))),
  },
];

interface Added {
  usd: number;
  /** The text with the most things counted. */
  before: string;
  count: number;
}

/**
 * Each warning once, in the order of their first; those that differ in money and in how many things it is
 * of become one, with the sum and the largest number.
 * @param warnings of all sets, with repetitions
 */
export function addedWarnings(warnings: readonly string[]): string[] {
  const texts = new Map<string, (() => string) | string>();
  const sums = new Map<string, Added>();
  for (const text of warnings) {
    const money = MONEY.find(({ pattern }) => pattern.test(text));
    const parts = money?.pattern.exec(text)?.groups;
    if (money === undefined || parts === undefined) {
      texts.set(text, text);
      continue;
    }
    const { before = '', usd = '', after = '' } = parts;
    const kind = before.replace(/\d+/g, '0') + after;
    const count = Number(/: (\d+); \$$/.exec(before)?.[1] ?? 0);
    const sum = sums.get(kind) ?? { usd: 0, before, count };
    sum.usd += Number(usd);
    if (count > sum.count) Object.assign(sum, { before, count });
    sums.set(kind, sum);
    texts.set(kind, () => sum.before + money.usd(sum.usd) + after);
  }
  return [...texts.values()].map((text) => (typeof text === 'string' ? text : text()));
}
