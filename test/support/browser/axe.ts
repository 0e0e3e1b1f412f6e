/** Faults of accessibility in an open page, as axe-core finds them. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** @returns a line for each: the rule, how many elements, and the first of them */
export async function axeFaults(page: Page): Promise<string[]> {
  const isThere = await page.evaluate<boolean>(`'axe' in globalThis`);
  if (!isThere) await page.evaluate(axe.source);
  return await page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(
    ({ violations }) => violations.map(({ id, nodes }) => {
      const [first] = nodes;
      return id + ' (' + nodes.length + '): ' + first.html.slice(0, 200) + ' ' + first.failureSummary;
    }),
  )`);
}
