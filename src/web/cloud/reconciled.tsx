/** What is paid of list prices: the whole bill, the part in Kubernetes, and what this server counts. */
import { moneyOrZero, percent } from '../format.ts';
import type { VNode } from '../preact.ts';
import { href } from '../state.ts';
import { belowWords, reconciled, type AssetTotals } from './against-list.ts';
import type { Metric, Sums } from './cloud-costs.ts';

/** @param assets undefined: not known, or not of the same charges */
export function AgainstList({
  sums,
  metric,
  assets,
}: {
  sums: Sums;
  metric: Metric;
  assets: AssetTotals | undefined;
}): VNode {
  return (
    <section>
      <h2>Against list price</h2>
      <div class="list-scroll" role="region" aria-label="Against list price" tabIndex={0}>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">what</th>
              <th scope="col" class="num">
                list price
              </th>
              <th scope="col" class="num">
                cost
              </th>
              <th scope="col" class="num">
                less
              </th>
              <th scope="col" class="list-minor">
                that is
              </th>
            </tr>
          </thead>
          <tbody>
            {reconciled(sums, metric, assets).map(({ what, list, paid, below }) => (
              <tr key={what}>
                <th scope="row">{what}</th>
                <td class="num">{moneyOrZero(list)}</td>
                <td class="num">{moneyOrZero(paid)}</td>
                <td class="num">{moneyOrZero(below)}</td>
                <td class="list-minor">{belowWords(below, list, percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {assets !== undefined && (
        <p class="hint">
          A resource is in Kubernetes when its id is that of a node, a disk or a load balancer, or its service or
          tags say so. Clusters of other clouds, and hours that no bill tells of yet, are counted at list price in{' '}
          <a href={href({ view: 'assets', more: '', path: [], open: '' })}>Assets</a>, where each change by the
          bill is told.
        </p>
      )}
    </section>
  );
} // prettier-ignore
