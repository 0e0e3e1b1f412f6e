/**
 * Tests whether a text contains one of many values, reading each character once: the automaton of Aho
 * and Corasick, "Efficient string matching", CACM 18 (6), 1975.
 */

interface State {
  readonly next: Map<string, State>;
  /** The state of the longest proper suffix that is the start of some value. */
  suffix: State | null;
  /** A value ends here. */
  isMatch: boolean;
}

/** Up to this many values a plain loop is as fast. */
const FEW = 8;

/** @param values one or more */
export function containsAny(values: readonly string[]): (text: string) => boolean {
  if (values.length <= FEW) return (text) => values.some((value) => text.includes(value));
  const root = build(values);
  if (root.isMatch) return () => true;
  return (text) => {
    let state = root;
    for (let at = 0; at < text.length; at++) {
      state = step(root, state, text.charAt(at));
      if (state.isMatch) return true;
    }
    return false;
  };
}

function build(values: readonly string[]): State {
  const root = emptyState();
  for (const value of values) {
    let state = root;
    for (let at = 0; at < value.length; at++) {
      const char = value.charAt(at);
      const known = state.next.get(char) ?? emptyState();
      state.next.set(char, known);
      state = known;
    }
    state.isMatch = true;
  }
  link(root);
  return root;
}

/** Links level by level, so that a suffix, which is shorter, has been linked before. */
function link(root: State): void {
  const states = [root];
  for (const state of states) {
    for (const [char, next] of state.next) {
      next.suffix = state.suffix === null ? root : step(root, state.suffix, char);
      next.isMatch ||= next.suffix.isMatch;
      states.push(next);
    }
  }
}

function step(root: State, from: State, char: string): State {
  for (let state: State | null = from; state !== null; state = state.suffix) {
    const next = state.next.get(char);
    if (next) return next;
  }
  return root;
}

function emptyState(): State {
  return { next: new Map(), suffix: null, isMatch: false };
}
