/** What is shown now, and how it changes: each state is an entry of the browser's history. */
import { signal, type ReadonlySignal } from './preact.ts';
import { readState, writeState, type PageState } from './url.ts';

const current = signal<PageState>(readState(location.search));

/** What is shown. */
export const state: ReadonlySignal<PageState> = current;

/** A link to what is shown, changed. */
export function href(change: Partial<PageState>): string {
  return writeState({ ...current.value, ...change });
}

/** @param isSmall replaces the entry of the history, as for each letter of a text */
export function go(change: Partial<PageState>, isSmall = false): void {
  const next = { ...current.value, ...change };
  const url = writeState(next);
  if (url === writeState(current.value)) return;
  if (isSmall) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  current.value = next;
}

/** Links within the page and the browser's own buttons change the state; other clicks stay the browser's. */
export function followLinks(): void {
  addEventListener('popstate', () => {
    current.value = readState(location.search);
  });
  document.addEventListener('click', (event) => {
    const { ctrlKey, metaKey, shiftKey, altKey } = event;
    const isPlain = event.button === 0 && ![ctrlKey, metaKey, shiftKey, altKey].includes(true);
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const to = link?.getAttribute('href');
    if (!isPlain || event.defaultPrevented || link?.hasAttribute('download') === true) return;
    if (to === null || to === undefined || !to.startsWith('?')) return;
    event.preventDefault();
    go(readState(to));
  });
}
