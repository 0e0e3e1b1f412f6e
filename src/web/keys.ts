/** The keyboard: single keys and pairs such as `g o`, unless something is being typed. */

export interface Key {
  /** `?`, `/`, or two with a blank: `g o`. */
  readonly keys: string;
  readonly says: string;
  /** Absent: always. */
  readonly when?: () => boolean;
  readonly run: (event: KeyboardEvent) => void;
}

const bound = new Map<symbol, readonly Key[]>();
const PAIR_MS = 1500;

/** @returns a function that takes them back; the last bound win */
export function bindKeys(keys: readonly Key[]): () => void {
  const id = Symbol('keys');
  bound.set(id, keys);
  return () => bound.delete(id);
}

export function boundKeys(): Key[] {
  return [...bound.values()].flat();
}

let first = '';
let firstMs = 0;

export function listenToKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || (event.key === 'Enter' && isPressable(event.target))) return;
    const now = performance.now();
    const pair = now - firstMs < PAIR_MS && first !== '' ? `${first} ${event.key}` : '';
    const open = boundKeys().filter(({ when }) => when?.() ?? true);
    const key =
      open.findLast(({ keys }) => keys === pair) ?? open.findLast(({ keys }) => keys === event.key);
    first = key === undefined ? event.key : '';
    firstMs = now;
    if (key === undefined) return;
    event.preventDefault();
    key.run(event);
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

function isPressable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary') !== null;
}
