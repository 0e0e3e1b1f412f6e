/** The panel at the side: its frame, lines that add up to a number, and facts about it. */
import { sumOfLines, type Line } from '../costs/made-of.ts';
import { moneyExact, number } from '../format.ts';
import { useEffect, useRef, type ComponentChildren, type VNode } from '../preact.ts';
import { go } from '../state.ts';

/** Takes the focus, and gives it back when it is closed. */
export function PanelFrame({
  title,
  children,
}: {
  title: string;
  children: ComponentChildren;
}): VNode {
  const box = useRef<HTMLElement>(null);
  const close = (): void => go({ open: '' });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [title]);
  return (
    <aside
      class="panel"
      ref={box}
      tabIndex={-1}
      aria-label={`What ${title} is made of`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <h2>{title}</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close">
          ×
        </button>
      </header>
      {children}
    </aside>
  );
}

/** Lines that add up to a total. */
export function MadeTable({ lines, total }: { lines: readonly Line[]; total: number }): VNode {
  const sum = sumOfLines(lines);
  const isWhole = Math.abs(sum - total) <= 1e-6 * Math.max(1, Math.abs(total));
  const isMetered = lines.some(({ hours }) => hours !== undefined);
  return (
    <table class="made">
      <thead>
        <tr>
          <th scope="col">what</th>
          {isMetered && (
            <>
              <th scope="col" class="num">
                hours
              </th>
              <th scope="col" class="num">
                × price
              </th>
            </>
          )}
          <th scope="col" class="num">
            USD
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <MadeLine key={line.what} line={line} isMetered={isMetered} />
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row" colSpan={isMetered ? 3 : 1}>
            {isWhole ? 'total' : 'the lines come to less than the total'}
          </th>
          <td class="num">{moneyExact(total)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

function MadeLine({
  line: { what, hours, unit, price, cost, isPart },
  isMetered,
}: {
  line: Line;
  isMetered: boolean;
}): VNode {
  return (
    <tr class={isPart === true ? 'part' : ''}>
      <th scope="row">{what}</th>
      {isMetered && (
        <>
          <td class="num">{hours === undefined ? '' : `${number(hours, 1)} ${unit ?? ''}`}</td>
          <td class="num">{price === undefined ? '' : number(price, 6)}</td>
        </>
      )}
      <td class="num">{moneyExact(cost)}</td>
    </tr>
  );
}

/** What is known, and what is said of it. */
export function Facts({
  facts,
}: {
  facts: readonly (readonly [what: string, says: ComponentChildren])[];
}): VNode {
  return (
    <dl class="facts">
      {facts.map(([what, says]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd>{says}</dd>
        </div>
      ))}
    </dl>
  );
}
