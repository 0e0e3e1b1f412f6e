/** Colours belong to names: a name has the same colour in every view, by a hash into twelve hues. */
import { hashOf } from './hash.ts';

/**
 * Names of custom properties in page.css. Neighbours differ in lightness as well as in hue, so that they are told
 * apart by those who see no red or no green.
 */
export const HUES: number = 12;

/** Rows that the API makes have greys of their own. */
const GREYS: ReadonlyMap<string, string> = new Map([
  ['__idle__', 'idle'],
  ['__unallocated__', 'unknown'],
  ['__unmounted__', 'unknown'],
  ['__external__', 'outside'],
  ['other', 'other'],
]);

/** A class of page.css: `hue-0` to `hue-11`, or a grey. */
export function colourOf(name: string): string {
  const grey = GREYS.get(name.split('/').at(-1) ?? '');
  return grey ?? `hue-${hashOf(name) % HUES}`;
}
