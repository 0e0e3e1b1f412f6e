/** Nodes as small bars, the one with the most idle money first: the table below has the same. */
import { money, moneyOrZero } from '../format.ts';
import { useState, type VNode } from '../preact.ts';
import { href } from '../state.ts';
import { barOf, nodeWords, shortNode, type NodeRow } from './node-rows.ts';

const FIRST = 60;

const PARTS = {
  used: 'used',
  over: 'asked for, not used',
  idle: 'idle',
} as const;

export function NodeGrid({ rows, open }: { rows: readonly NodeRow[]; open: string }): VNode {
  const [isWhole, setWhole] = useState(false);
  const largest = Math.max(0, ...rows.map(({ cost }) => cost));
  const shown = isWhole ? rows : rows.slice(0, FIRST);
  return (
    <figure class="node-figure">
      <ul class="node-grid" aria-label="Nodes, the most idle money first">
        {shown.map((row) => (
          <li key={row.filter}>
            <NodeBar row={row} largest={largest} isOpen={row.filter === open} />
          </li>
        ))}
      </ul>
      <figcaption class="legend">
        {(['used', 'over', 'idle'] as const).map((is) => (
          <span key={is}>
            <i class={`swatch ${is}`} /> {PARTS[is]}
          </span>
        ))}
        <span>a whole bar is {moneyOrZero(largest)}; the amount is idle money</span>
      </figcaption>
      {shown.length < rows.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {rows.length} nodes
        </button>
      )}
    </figure>
  );
}

function NodeBar({
  row,
  largest,
  isOpen,
}: {
  row: NodeRow;
  largest: number;
  isOpen: boolean;
}): VNode {
  return (
    <a
      class={`node-cell ${isOpen ? 'chosen' : ''}`}
      href={href({ open: row.filter })}
      title={nodeWords(row)}
    >
      <span class="node-name">{shortNode(row.name)}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {barOf(row, largest).map(({ is, from, length }) => (
          <rect key={is} class={is} x={from * 100} y="0" width={length * 100} height="10" />
        ))}
      </svg>
      <span class="num">{row.parts === undefined ? '' : money(row.parts.idle)}</span>
      <span class="unseen">{nodeWords(row)}</span>
    </a>
  );
}
