/** Changes of costs against as many days before. */
import { joinedBy } from '../../columnar/index.ts';
import { windowOf } from '../../export/index.ts';
import { amountOf, highestCostFirst } from './group-amounts.ts';
import type { WindowOfAnswer } from './window-of-answer.ts';

/**
 * `{"trends":{"<name>":{"isInfinite":…,"isNaN":…,"value":…}},"window":…,"comparisonWindow":…}`, as
 * https://github.com/kubecost/docs/blob/main/apis/monitoring-apis/cloud-cost-trends-api.md has it:
 * the value is the cost now / the cost before - 1, and 0 where that is no number.
 */
export function* trendsJson({
  groups,
  query,
  shown,
  place,
  page,
}: WindowOfAnswer): Generator<string> {
  const { names, offset, limit, costMetric } = shown;
  const costsOf = (of: readonly number[]): ReadonlyMap<string, number> =>
    new Map(of.map((group) => [groups.name(group), amountOf(groups, group, costMetric).cost]));
  const before = costsOf(highestCostFirst(groups, place - 1, costMetric));
  const now = costsOf(page);
  const known = [...new Set([...now.keys(), ...before.keys()])];
  const shownNames = names ?? known.slice(offset, limit === null ? undefined : offset + limit);
  // By hand, as an object would put names such as 123 first.
  const trends = function* (): Generator<string> {
    for (const name of shownNames) {
      const change = changeOf(before.get(name) ?? 0, now.get(name) ?? 0);
      yield `${JSON.stringify(name)}:${JSON.stringify(change)}`;
    }
  };
  yield '{"trends":{';
  yield* joinedBy(',', trends());
  const [comparisonWindow, window] = query.windows.map(windowOf);
  const about = JSON.stringify({ window, comparisonWindow });
  yield `},${about.slice(1)}`;
}

function changeOf(before: number, now: number): object {
  const change = now / before - 1;
  const isNaN = Number.isNaN(change);
  const isInfinite = !isNaN && !Number.isFinite(change);
  return { isInfinite, isNaN, value: isNaN || isInfinite ? 0 : change };
}
