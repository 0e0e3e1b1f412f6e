/** Faults of accessibility in an open page, as axe-core finds them. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Rules that depend on colours. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * @param isOfColours looks at colours alone, where all else was looked at before
 * @returns a line for each: the rule, how many elements, and the first of them
 */
export async function axeFaults(page: Page, isOfColours: boolean): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(isOfColours ? { runOnly: OF_COLOURS } : {}),
  };
  const isThere = await page.evaluate<boolean>(`'axe' in globalThis`);
  if (!isThere) await page.evaluate(axe.source);
  return await page.evaluate<string[]>(`axe.run(document, ${JSON.stringify(options)}).then(
    ({ violations }) => violations.map(({ id, nodes }) => {
      const [first] = nodes;
      return id + ' (' + nodes.length + '): ' + first.html.slice(0, 200) + ' ' + first.failureSummary;
    }),
  )`);
}
