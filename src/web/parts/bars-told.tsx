/** Bars in words and numbers: the one under the pointer, the legend, all of them as a table. */
import { colourOf } from '../colour.ts';
import { shownName } from '../costs/fields.ts';
import { sumOf } from '../costs/series.ts';
import { money, moneyOrZero } from '../format.ts';
import { useState, type VNode } from '../preact.ts';
import { runRate, spanLabel, spanWords, type BarsOf } from './bar-words.ts';

/** What the bar under the pointer is made of. */
export function Reading({ at, ...bars }: BarsOf & { at: number }): VNode {
  const { spans, stacks, totals, idle, before } = bars;
  const span = spans[at];
  const rate = runRate(bars, at);
  const parts = stacks
    .map(({ name, costs }) => ({ name, usd: costs[at] ?? 0 }))
    .filter(({ usd }) => usd >= 0.005)
    .toSorted((a, b) => b.usd - a.usd);
  return (
    <div class={`reading ${at > spans.length / 2 ? 'at-left' : ''}`} aria-hidden="true">
      <p>
        <strong>{span === undefined ? '' : spanWords(span)}</strong>
        <b>{moneyOrZero(totals[at])}</b>
      </p>
      {parts.map(({ name, usd }) => (
        <p key={name}>
          <span>
            <i class={`dot ${colourOf(name)}`} /> {shownName(name)}
          </span>
          <span>{money(usd)}</span>
        </p>
      ))}
      {idle !== undefined && (
        <p>
          <span>
            <i class="dot idle" /> idle
          </span>
          <span>{money(idle[at])}</span>
        </p>
      )}
      {bars.inside !== undefined && (
        <p class="quieter">
          <span>{bars.inside.says}</span>
          <span>{moneyOrZero(sumAt(bars.inside.costs, at))}</span>
        </p>
      )}
      {before[at] !== undefined && (
        <p class="quieter">
          <span>before</span>
          <span>{moneyOrZero(before[at])}</span>
        </p>
      )}
      {rate !== undefined && (
        <p class="quieter">
          <span>not over; at this rate</span>
          <span>{money(rate)}</span>
        </p>
      )}
    </div>
  );
}

function sumAt(costs: readonly Float64Array[], at: number): number {
  return costs.reduce((sum, own) => sum + (own[at] ?? 0), 0);
}

export function Legend({ stacks, idle, before, inside }: BarsOf): VNode {
  const hasBefore = before.some((usd) => usd !== undefined);
  return (
    <figcaption class="legend">
      {stacks.map(({ name }) => (
        <span key={name}>
          <i class={`dot ${colourOf(name)}`} /> {shownName(name)}
        </span>
      ))}
      {idle !== undefined && (
        <span>
          <i class="dot idle" /> idle, below the line
        </span>
      )}
      {inside !== undefined && (
        <span>
          <i class="dot inside" /> {inside.says}
        </span>
      )}
      {hasBefore && (
        <span>
          <i class="dash" /> the time before
        </span>
      )}
    </figcaption>
  );
}

/** The same data, for those who do not see bars, and to copy. */
export function AsTable({ spans, stacks, totals, idle, inside }: BarsOf): VNode {
  const [isOpen, open] = useState(false);
  return (
    <details class="as-table" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>as a table</summary>
      {isOpen && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Costs over time, as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">name</th>
                {spans.map((span) => (
                  <th key={span.startMs} scope="col" class="num">
                    {spanLabel(span)}
                  </th>
                ))}
                <th scope="col" class="num">
                  total
                </th>
              </tr>
            </thead>
            <tbody>
              {[
                ...stacks,
                ...(idle === undefined ? [] : [{ name: '__idle__', costs: idle }]),
                { name: idle === undefined ? 'total' : 'total without idle', costs: totals },
                ...(inside === undefined
                  ? []
                  : [
                      {
                        name: inside.says,
                        costs: totals.map((_, at) => sumAt(inside.costs, at)),
                      },
                    ]),
              ].map(({ name, costs }) => (
                <tr key={name}>
                  <th scope="row">{shownName(name)}</th>
                  {[...costs].map((usd, index) => (
                    <td key={index} class="num">
                      {money(usd)}
                    </td>
                  ))}
                  <td class="num">{money(sumOf(costs))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}
