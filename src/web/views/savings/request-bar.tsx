/** Usage of a container between nothing and its request, and where the new request lies. */
import type { VNode } from '../../preact.ts';
import type { Change } from './sizing.ts';

const WIDTH = 96;
const HEIGHT = 12;

/**
 *   ▓▓▓▓▓▓░░░░░░░│          ▏
 *   average  most  new    today
 */
export function RequestBar({
  change: { from, to, average, most },
  text,
}: {
  change: Change;
  text: (value: number) => string;
}): VNode {
  const scale = (value: number): number => (WIDTH * value) / Math.max(from, most, 1);
  const says = `${text(average)} used on average, ${text(most)} at the most; the request ${text(from)}, recommended ${text(to)}`;
  return (
    <svg class="request-bar" width={WIDTH} height={HEIGHT} role="img" aria-label={says}>
      <title>{says}</title>
      <rect class="room" width={scale(from)} height={HEIGHT} rx={2} />
      <rect class="most" y={3} width={scale(most)} height={HEIGHT - 6} />
      <rect class="average" y={3} width={scale(average)} height={HEIGHT - 6} />
      <rect class="mark" x={Math.max(0, scale(to) - 1)} width={2} height={HEIGHT} />
    </svg>
  );
}
