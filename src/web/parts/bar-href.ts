/** Where bars over time lead: a click narrows the window to the bar. */
import type { Span } from '../costs/periods.ts';
import { href } from '../state.ts';

export function barHref({ startMs, endMs }: Span): string {
  const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
  return href({ window: `${iso(startMs)},${iso(endMs)}`, open: '' });
}
