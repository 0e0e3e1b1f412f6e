/**
 * Flags of V8 that are set in a running process. V8 prints a text of its own to standard error for a flag
 * that it does not know, and goes on without it: so a flag is set only on versions of Node that have it.
 *
 * The versions are what `node --v8-options` of 20.20.2, 22.23.5, 24.22.3 and 26.12.1 lists.
 */
import { setFlagsFromString } from 'node:v8';

export type V8Flag =
  | 'heap-growing-percent'
  | 'initial-old-space-size'
  | 'interrupt-budget'
  | 'min-semi-space-size'
  | 'semi-space-growth-factor';

/** First and last major version of Node by flag. A later version first has to be looked at. */
const VERSIONS: Readonly<Record<V8Flag, readonly [number, number]>> = {
  'heap-growing-percent': [20, 26],
  'initial-old-space-size': [20, 26],
  'interrupt-budget': [20, 21],
  'min-semi-space-size': [20, 26],
  'semi-space-growth-factor': [20, 26],
};

export const V8_FLAGS: readonly V8Flag[] = Object.keys(VERSIONS) as V8Flag[];

const NODE_MAJOR = Number.parseInt(process.versions.node, 10);

/** Whether this version of Node has the flag. */
export function hasV8Flag(flag: V8Flag, major: number = NODE_MAJOR): boolean {
  const [first, last] = VERSIONS[flag];
  return first <= major && major <= last;
}

/** Sets the flag if this version of Node has it. */
export function setV8Flag(flag: V8Flag, value: number): void {
  if (hasV8Flag(flag)) setFlagsFromString(`--${flag}=${value}`);
}
