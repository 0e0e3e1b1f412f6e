/**
 * What a question of stored sets will cost the workers, in milliseconds of their time: known before any work from its
 * sets and parameters alone, so that it decides the lane. It need not be right, but on the right side: bench/estimates.ts
 * compares it with what questions take.
 */
import { LABEL_OF, type AggregateKey } from '../../query/index.ts';
import type { StoredPlan } from './stored-params.ts';

/** Nanoseconds a row of sets, whatever is asked: columns are read, compared and added up. */
const ROW_NS = 90;
/** To tell a group apart, fold its texts and put it in order. */
const GROUP_NS = 1500;
/** To read a text of labels. */
const LABELS_NS = 40;
/** To distribute idle to each row, and shared costs. */
const [IDLE_NS, SHARED_NS] = [60, 300];
/** To tell what each row pays of assets. */
const SHARES_NS = 1200;
/** To compare names, where rows are not aggregated: then each has one. */
const NAMED_NS = 80;
/** To lay out a row and write it. */
const WRITTEN_NS: Readonly<Record<string, number>> = {
  json: 5000,
  ndjson: 5000,
  csv: 3000,
  arrow: 1500,
};
/** A question, and each of its sets. */
const [QUESTION_MS, SET_MS] = [1, 0.3];

/** Groups of a thousand rows by one key, as clusters have them. */
const GROUPS_PER_THOUSAND: Readonly<Record<string, number>> = {
  all: 0, cluster: 0, region: 0, zone: 0, instanceType: 0, nodePool: 0, controllerKind: 0,
  namespace: 4, department: 4, environment: 4, owner: 4, product: 4, team: 4,
  node: 25, providerID: 25, container: 10, service: 60,
  controller: 100, deployment: 90, statefulset: 20, daemonset: 5, job: 20, pod: 500,
}; // prettier-ignore
const OF_LABELS = 100;

type Asked = Pick<StoredPlan, 'format' | 'request' | 'view'>;

/** @param groups sets of the answer, each with the stored sets that it is the sum of */
export function estimatedMs(
  { format, request, view }: Asked,
  groups: readonly (readonly { readonly rows: number }[])[],
): number {
  const { keys, shareIdle, share, showsAssetShares } = request.query;
  const limit = request.paging?.limit ?? Infinity;
  const isShared = share !== null || request.shareUsdPerMonth > 0;
  const sharesNs = showsAssetShares ? SHARES_NS : 0;
  const distributedNs = (shareIdle ? IDLE_NS : 0) + (isShared ? SHARED_NS : 0) + sharesNs;
  const written = view === 'topline' ? 0 : (WRITTEN_NS[format.kind] ?? 0);
  let ns = 0;
  let sets = 0;
  for (const members of groups) {
    const rows = members.reduce((sum, member) => sum + member.rows, 0);
    const perThousand = groupsPerThousand(keys);
    // Rows of several days are summed by name, so each is told apart.
    const isPage = keys.length === 0 && limit < Infinity && members.length === 1;
    const told = isPage ? Math.min(limit, rows) : (rows * perThousand) / 1000;
    const isGrouped =
      keys.length > 0 || members.length > 1 || distributedNs > 0 || request.query.filter !== null;
    ns += rows * (ROW_NS + distributedNs + (keys.length === 0 ? NAMED_NS : 0));
    ns += rows * (keys.some(isOfLabels) ? LABELS_NS : 0);
    ns += isGrouped ? told * GROUP_NS * (members.length > 1 ? 2 : 1) : 0;
    ns += Math.min(limit, told) * written;
    sets += members.length;
  }
  return QUESTION_MS + SET_MS * sets + ns / 1e6;
}

/** The most that the keys make together: one group a row. */
function groupsPerThousand(keys: readonly AggregateKey[]): number {
  if (keys.length === 0) return 1000;
  const each = keys.map((key) =>
    key.kind === 'property' ? (GROUPS_PER_THOUSAND[key.property] ?? OF_LABELS) : OF_LABELS,
  );
  return Math.min(
    1000,
    each.reduce((sum, one) => sum + one, 0),
  );
}

function isOfLabels(key: AggregateKey): boolean {
  return key.kind !== 'property' || LABEL_OF[key.property] !== undefined;
}
