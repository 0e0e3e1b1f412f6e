/** A line of what a row cost over time, from 0 to its largest. */
import { linePath } from '../costs/bar-layout.ts';
import type { VNode } from '../preact.ts';

const WIDTH = 72;
const HEIGHT = 18;

export function Sparkline({ costs }: { costs: ArrayLike<number> | undefined }): VNode | null {
  const path = costs === undefined ? '' : linePath(costs, WIDTH, HEIGHT);
  if (path === '') return null;
  return (
    <svg class="spark" width={WIDTH + 2} height={HEIGHT + 4} aria-hidden="true">
      <path class="under" d={`${path}V${HEIGHT}H0z`} transform="translate(1 2)" />
      <path d={path} transform="translate(1 2)" />
    </svg>
  );
}
