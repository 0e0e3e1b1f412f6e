/** What a number is made of: hours and prices, shares, adjustments, how sure it is, and the request that tells it. */
import { curlOf, type Answer } from '../api.ts';
import { useAnswer } from '../answers.ts';
import { shownName } from '../costs/fields.ts';
import { own } from '../costs/own.ts';
import { priceWords } from '../costs/price-words.ts';
import { linesOf, type DetailRow } from '../costs/made-of.ts';
import { moment, number, percent, UNKNOWN } from '../format.ts';
import { useState, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { Facts, MadeTable, PanelFrame } from './panel-frame.tsx';
import { Loaded } from './states.tsx';

export type DetailSets = readonly Readonly<Record<string, DetailRow>>[];

/** @param path of the API, for the one row */
export function Panel({ name, path }: { name: string; path: string }): VNode {
  const shown = useAnswer<DetailSets>(path);
  return (
    <PanelFrame title={shownName(name)}>
      <Loaded shown={shown} lines={8}>
        {(answer) => <Made name={name} answer={answer} path={path} />}
      </Loaded>
    </PanelFrame>
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
  return (
    <>
      <MadeTable lines={lines} total={row.totalCost} />
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
    ['prices from', priceWords(priceSource)],
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
  return <Facts facts={facts} />;
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
