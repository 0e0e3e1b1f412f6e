/** Light or dark: as the system says, until it is switched for this page. */
import { signal, type Signal } from './preact.ts';

const WORDS = ['system', 'light', 'dark'] as const;
type Theme = (typeof WORDS)[number];

export const theme: Signal<Theme> = signal('system');

export function nextTheme(): void {
  const next = WORDS[(WORDS.indexOf(theme.value) + 1) % WORDS.length] ?? 'system';
  theme.value = next;
  const root = document.documentElement;
  if (next === 'system') delete root.dataset['theme'];
  else root.dataset['theme'] = next;
}
