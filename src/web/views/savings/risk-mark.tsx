/** How much may go wrong, as a word and a mark. */
import type { VNode } from '../../preact.ts';
import type { Risk } from './sizing.ts';

const MARKS: Readonly<Record<Risk, string>> = { low: '○', medium: '◐', high: '●' };

/** @param why what may go wrong */
export function RiskMark({ risk, why }: { risk: Risk; why?: string }): VNode {
  return (
    <span class={`risk ${risk}`} title={why}>
      <span aria-hidden="true">{MARKS[risk]} </span>
      {risk}
    </span>
  );
}
