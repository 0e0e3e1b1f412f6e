/**
 * Warnings of answers: a sentence, the money that is uncertain because of it, and the clusters and
 * nodes concerned. A sentence alone is a warning of which the money is unknown.
 */

export interface Warning {
  readonly message: string;
  /** USD in the answer's window; null: unknown. */
  readonly cost: number | null;
  /** Clusters concerned, sorted; none where they are unknown. */
  readonly clusters: readonly string[];
  /** Nodes concerned, as `cluster/node`, sorted. */
  readonly nodes: readonly string[];
  /**
   * Assets that the cost is of, as `Type/cluster/name`, sorted: with a bill it is what that charges for them.
   * Stored with sets, and not in answers.
   */
  readonly assets?: readonly string[];
}

export type WarningLike = string | Warning;

/** Nodes and assets that a warning lists; the message has their number. */
const LISTED = 100;

/** A warning with what is known about it. */
export function warning(
  message: string,
  { cost = null, clusters = [], nodes = [], assets = [] }: Partial<Omit<Warning, 'message'>>,
): Warning {
  const ofNodes = nodes.map((node) => node.slice(0, node.lastIndexOf('/')));
  const first = (names: readonly string[]): string[] => [...new Set(names)].sort().slice(0, LISTED);
  return {
    message,
    cost,
    clusters: [...new Set([...clusters, ...ofNodes])].sort(),
    nodes: first(nodes),
    ...(assets.length > 0 ? { assets: first(assets) } : {}),
  };
}

export function messageOf(warning: WarningLike): string {
  return typeof warning === 'string' ? warning : warning.message;
}

function detailed(warning: WarningLike): Warning {
  if (typeof warning !== 'string') return warning;
  return { message: warning, cost: null, clusters: [], nodes: [] };
}

/** Each message once, by cost, the highest first; then those of unknown cost, then those of none. */
export function listedWarnings(warnings: Iterable<WarningLike>): Warning[] {
  const byMessage = new Map<string, Warning>();
  for (const one of warnings) {
    const next = detailed(one);
    const known = byMessage.get(next.message);
    byMessage.set(next.message, known === undefined ? next : together(known, next, larger));
  }
  return [...byMessage.values()].sort((a, b) => rankOf(b) - rankOf(a));
}

function rankOf({ cost }: Warning): number {
  return cost ?? Number.MIN_VALUE;
}

/** USD that warnings are about, as far as it is known. */
export function uncertainCost(warnings: Iterable<WarningLike>): number {
  return listedWarnings(warnings).reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}

type JoinedCost = (a: number, b: number) => number;

/** The same warning found twice in one window is about the same money. */
const larger: JoinedCost = Math.max;
/** The same warning of several windows is about the money of each. */
const sum: JoinedCost = (a, b) => a + b;

function together(a: Warning, b: Warning, joined: JoinedCost): Warning {
  const cost = a.cost === null || b.cost === null ? (a.cost ?? b.cost) : joined(a.cost, b.cost);
  const clusters = [...a.clusters, ...b.clusters];
  const assets = [...(a.assets ?? []), ...(b.assets ?? [])];
  return warning(a.message, { cost, clusters, nodes: [...a.nodes, ...b.nodes], assets });
}

/** Warnings as they are stored with a set: details are beside the messages that older versions read. */
export interface StoredWarnings {
  readonly warnings: readonly string[];
  /** Absent: nothing is known beside the messages. */
  readonly warningDetails?: readonly Warning[];
}

export function storedWarnings(warnings: readonly WarningLike[]): StoredWarnings {
  const details = warnings.filter((one) => typeof one !== 'string');
  return {
    warnings: warnings.map(messageOf),
    ...(details.length > 0 ? { warningDetails: details } : {}),
  };
}

export function warningsOfSet({ warnings, warningDetails = [] }: StoredWarnings): WarningLike[] {
  const details = new Map(warningDetails.map((one) => [one.message, one]));
  return warnings.map((message) => details.get(message) ?? message);
}

interface MoneyWarning {
  /** With the groups `before`, `usd` and `after`. */
  readonly pattern: RegExp;
  readonly usd: (sum: number) => string;
}

const MONEY: readonly MoneyWarning[] = [
  {
    pattern: /^(?<before>series of .+: \$)(?<usd>\d+(\.\d+)?)(?<after> depend on which is right)$/,
    usd: (usd) => usd.toFixed(2),
  },
  {
    pattern:
      /^(?<before>.+; \$)(?<usd>\d+(\.\d+)?)(?<after> is charged (to __unmounted__|for each server.*))$/,
    usd: (usd) => usd.toFixed(2),
  },
  {
    pattern: /^(?<before>\d+ .+; \$)(?<usd>\d+(\.\d+)?)(?<after> is not charged)$/,
    usd: (usd) => usd.toFixed(2),
  },
  {
    pattern:
      /^(?<before>allocations (exceed|on) .+ \$)(?<usd>[\d.e-]+)(?<after>: nothing is idle there)$/,
    usd: (usd) => String(Number(usd.toPrecision(12))),
  },
];

/** Costs of assets by their names in warnings, as `Type/cluster/name`: at list price and as billed, USD. */
export type BilledCosts = Readonly<Record<string, readonly [listed: number, billed: number]>>;

/** Assets that the cost of a warning is of. */
export function assetsOfWarning(one: WarningLike): readonly string[] {
  return typeof one === 'string' ? [] : (one.assets ?? []);
}

/** The warning with what a bill charges for its assets, in the message too. @param costs others stay at list price */
export function billedWarning(one: WarningLike, costs: BilledCosts): WarningLike {
  const known = assetsOfWarning(one).flatMap((asset) => (costs[asset] ? [costs[asset]] : []));
  if (typeof one === 'string' || known.length === 0) return one;
  const [listed, billed] = [0, 1].map((i) => known.reduce((sum, each) => sum + (each[i] ?? 0), 0));
  return listed && billed !== undefined ? scaledWarning(one, billed / listed) : one;
}

function scaledWarning(one: Warning, factor: number): Warning {
  const { before, usd, after } = partsOf(one.message);
  const message =
    usd === undefined ? one.message : `${before}${(factor * Number(usd)).toFixed(8)}${after}`;
  return { ...one, message, cost: one.cost === null ? null : factor * one.cost };
}

interface MoneyParts {
  readonly money?: MoneyWarning | undefined;
  readonly before: string;
  /** Absent: the message has no money. */
  readonly usd?: string | undefined;
  readonly after: string;
}

function partsOf(text: string): MoneyParts {
  const money = MONEY.find(({ pattern }) => pattern.test(text));
  const { before = text, usd, after = '' } = money?.pattern.exec(text)?.groups ?? {};
  return { money, before, usd, after };
}

interface Added {
  usd: number;
  /** The text with the most things counted. */
  before: string;
  count: number;
  /** Its details added up; its message is made at the end. */
  warning: WarningLike;
  readonly message: () => string;
}

/**
 * Warnings of several sets as those of one answer, each once, in the order of their first. Costs are those of
 * all sets together; sentences that differ in money and in how many things they are of become one, with
 * the sum and the largest number.
 * @param warnings of all sets, with repetitions
 */
export function addedWarnings(warnings: readonly WarningLike[]): WarningLike[] {
  const found = new Map<string, Added>();
  for (const one of warnings) {
    const text = messageOf(one);
    const { money, before, usd = '', after } = partsOf(text);
    const kind = money === undefined ? text : before.replace(/\d+/g, '0') + after;
    const known = found.get(kind);
    const count = Number(/^(\d+) |: (\d+); \$$/.exec(before)?.slice(1).find(Boolean) ?? 0);
    if (known === undefined) {
      const added: Added = {
        usd: Number(usd),
        before,
        count,
        warning: one,
        message: () => (money ? added.before + money.usd(added.usd) + after : text),
      };
      found.set(kind, added);
      continue;
    }
    known.usd += Number(usd);
    if (count > known.count) Object.assign(known, { before, count });
    if (typeof one !== 'string' || typeof known.warning !== 'string')
      known.warning = together(detailed(known.warning), detailed(one), sum);
  }
  return Array.from(found.values(), ({ warning: one, message }) =>
    typeof one === 'string' ? message() : { ...one, message: message() },
  );
}
