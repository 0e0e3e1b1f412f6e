/** What was spent, on what, what changed and why, what could be saved, how sure it is. */
import { useAnswer } from '../answers.ts';
import { Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { moneyOrZero } from '../format.ts';
import { pathOf } from '../api.ts';

export function Overview(): VNode {
  const path = pathOf('model/allocation/summary/topline', {
    window: 'month',
    aggregate: 'namespace',
  });
  const shown = useAnswer<Topline>(path);
  return (
    <Loaded shown={shown}>
      {({ data }) => (
        <h1>{moneyOrZero(data.combined.allocations['total']?.totalCost ?? 0)} this month</h1>
      )}
    </Loaded>
  );
}

interface Topline {
  readonly combined: {
    readonly allocations: Readonly<Record<string, { readonly totalCost: number }>>;
  };
}
