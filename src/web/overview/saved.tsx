/** The three largest savings, and what doing all gives. */
import { useAnswer } from '../answers.ts';
import { money, moneyChange, moneyOrZero } from '../format.ts';
import { Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { href } from '../state.ts';

type Savings = Readonly<Record<string, { readonly savingsPerMonth: number }>>;

const WORDS: Readonly<Record<string, string>> = {
  requestSizing: 'Ask for what containers use',
  abandonedWorkloads: 'Remove workloads that nobody talks to',
  unclaimedVolumes: 'Delete volumes that no claim holds',
  persistentVolumeSizing: 'Shrink volumes that are mostly empty',
  localLowDisks: 'Shrink disks of nodes that are mostly empty',
  nodeGroupSizing: 'Fewer or smaller nodes',
};

export function Saved(): VNode {
  const shown = useAnswer<Savings>('model/savings');
  const view = href({ view: 'savings', open: '' });
  return (
    <section class="card">
      <h2>
        <a href={view}>What could be saved</a> <small>a month</small>
      </h2>
      <Loaded shown={shown} lines={3}>
        {({ data }) => {
          const all = Object.entries(data).map(([kind, { savingsPerMonth: usd }]) => ({
            kind,
            usd,
          }));
          const ranked = all.filter(({ usd }) => usd > 0.005).toSorted((a, b) => b.usd - a.usd);
          const sum = all.reduce((usd, own) => usd + own.usd, 0);
          const others = sum - ranked.slice(0, 3).reduce((usd, own) => usd + own.usd, 0);
          const lifts = data['requestSizing']?.savingsPerMonth ?? 0;
          if (ranked.length === 0) {
            return <p class="hint">Nothing: nodes are full and disks are used.</p>;
          }
          return (
            <table class="list">
              <tbody>
                {ranked.slice(0, 3).map(({ kind, usd }) => (
                  <tr key={kind}>
                    <th scope="row">
                      <a href={view}>{WORDS[kind] ?? kind}</a>
                    </th>
                    <td class="num">{money(usd)}</td>
                  </tr>
                ))}
                {Math.abs(others) >= 0.005 && (
                  <tr>
                    <th scope="row">
                      {lifts < 0 ? 'others, and requests that are too low raised' : 'others'}
                    </th>
                    <td class="num">{moneyChange(others)}</td>
                  </tr>
                )}
              </tbody>
              <tfoot>
                <tr>
                  <th scope="row">all of it, nothing twice</th>
                  <td class="num">{moneyOrZero(sum)}</td>
                </tr>
              </tfoot>
            </table>
          );
        }}
      </Loaded>
    </section>
  );
}
