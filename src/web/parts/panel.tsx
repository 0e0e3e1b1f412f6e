/** What a number is made of: hours and prices, shares, adjustments, how sure it is, and the request that tells it. */
import { curlOf, type Answer } from '../api.ts';
import { useAnswer } from '../answers.ts';
import { shownName } from '../costs/fields.ts';
import { own } from '../costs/own.ts';
import { linesOf, sumOfLines, type DetailRow, type Line } from '../costs/made-of.ts';
import { moneyExact, moment, number, percent, UNKNOWN } from '../format.ts';
import { useEffect, useRef, useState, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { go } from '../state.ts';
import { Loaded } from './states.tsx';

export type DetailSets = readonly Readonly<Record<string, DetailRow>>[];

/** @param path of the API, for the one row */
export function Panel({ name, path }: { name: string; path: string }): VNode {
  const shown = useAnswer<DetailSets>(path);
  const box = useRef<HTMLElement>(null);
  const close = (): void => go({ open: '' });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [name]);
  return (
    <aside
      class="panel"
      ref={box}
      tabIndex={-1}
      aria-label={`What ${shownName(name)} is made of`}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <header>
        <h2>{shownName(name)}</h2>
        <button type="button" class="quiet" onClick={close} aria-label="Close">
          ×
        </button>
      </header>
      <Loaded shown={shown} lines={8}>
        {(answer) => <Made name={name} answer={answer} path={path} />}
      </Loaded>
    </aside>
  );
}

function Made({
  name,
  answer,
  path,
}: {
  name: string;
  answer: Answer<DetailSets>;
  path: string;
}): VNode {
  const row = own(answer.data[0], name);
  if (row === undefined) return <p class="hint">Nothing was charged to it in this window.</p>;
  const lines = linesOf(row);
  const sum = sumOfLines(lines);
  const isWhole = Math.abs(sum - row.totalCost) <= 1e-6 * Math.max(1, Math.abs(row.totalCost));
  return (
    <>
      <table class="made">
        <thead>
          <tr>
            <th scope="col">what</th>
            <th scope="col" class="num">
              hours
            </th>
            <th scope="col" class="num">
              × price
            </th>
            <th scope="col" class="num">
              USD
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <MadeLine key={line.what} line={line} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={3}>
              {isWhole ? 'total' : 'the lines come to less than the total'}
            </th>
            <td class="num">{moneyExact(row.totalCost)}</td>
          </tr>
        </tfoot>
      </table>
      <Sure row={row} />
      <Request path={path} />
      {answer.warnings.length > 0 && (
        <>
          <h3>Notes</h3>
          <ul class="hint">
            {answer.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </>
      )}
      {answer.message !== '' && <p class="hint">{answer.message}</p>}
    </>
  );
}

function MadeLine({ line: { what, hours, unit, price, cost, isPart } }: { line: Line }): VNode {
  return (
    <tr class={isPart === true ? 'part' : ''}>
      <th scope="row">{what}</th>
      <td class="num">{hours === undefined ? '' : `${number(hours, 1)} ${unit ?? ''}`}</td>
      <td class="num">{price === undefined ? '' : number(price, 6)}</td>
      <td class="num">{moneyExact(cost)}</td>
    </tr>
  );
}

const PRICES: Readonly<Record<string, string>> = {
  bill: 'the bill of the cloud',
  recentBill: 'what the bill charged last',
  series: 'price series of the metrics store',
  file: 'the file of node types',
  list: 'list prices',
  book: 'the price book',
  mixed: 'several sources',
};
const ENDS: Readonly<Record<string, string>> = {
  completionTime: 'its time of completion',
  phase: 'its phase',
  running: 'it still runs',
  staleMarker: 'the mark of the end of its samples',
  lastSample: 'its last sample',
  nextPod: 'the next pod of its name',
  nodeEnd: 'the end of its node',
};

/** How it is known, and how surely. */
function Sure({ row }: { row: DetailRow }): VNode {
  const { priceSource, endSource, endUncertaintySeconds, accuracy, totalEfficiency } = row;
  const bounds = accuracy === undefined ? undefined : [accuracy.lower, accuracy.upper];
  const facts: readonly (readonly [string, string])[] = [
    ['prices from', priceSource === null ? UNKNOWN : (PRICES[priceSource] ?? priceSource)],
    ['from', moment(Date.parse(row.start), zone())],
    ['to', moment(Date.parse(row.end), zone())],
    ['end known by', `${ENDS[endSource] ?? endSource}, to ${number(endUncertaintySeconds, 0)} s`],
    ['uses of what it asks for', totalEfficiency === 0 ? UNKNOWN : percent(totalEfficiency)],
    ...(bounds === undefined
      ? []
      : [
          [
            'of the truth',
            bounds.map((bound) => (bound === null ? UNKNOWN : percent(bound))).join(' to '),
          ] as const,
        ]),
  ];
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

/** The request that gives the same numbers. */
export function Request({ path }: { path: string }): VNode {
  const [isCopied, copied] = useState(false);
  const command = curlOf(path);
  return (
    <div class="request">
      <h3>The same by the API</h3>
      <pre tabIndex={0}>{command}</pre>
      <button
        type="button"
        onClick={() => {
          navigator.clipboard.writeText(command).then(
            () => copied(true),
            () => copied(false),
          );
        }}
      >
        {isCopied ? 'Copied' : 'Copy'}
      </button>{' '}
      <a href={path} target="_blank" rel="noreferrer">
        open
      </a>
    </div>
  );
}
