/** When the server adds up rows of sets. */

/**
 * `auto`: until a set was asked a few times, as its columns then come here for good; `always`: also then; `never`:
 * columns are read.
 */
export type PushMode = 'auto' | 'always' | 'never';
export const PUSH_MODES: readonly PushMode[] = ['auto', 'always', 'never'];
