/**
 * Which test files share a process. Starting one takes a fifth of a second of a core, and compiling
 * the kernels as much again; most unit tests take less themselves.
 */
import type { SourceFile } from '../test/support/source-text.ts';

/** Expected time of a group of unit tests. A longer one would keep a core busy after all others have ended. */
const GROUP_SECONDS = 6;

/**
 * Hooks of a file's top level: in a shared process they would run around tests of other files, and what
 * runs `after` all would run after the test that goes on while the file is loaded.
 */
const SHARED_HOOK = /^(beforeEach|afterEach|before|after)\(/m;

/**
 * @param wide files that open something, each in a process of its own
 * @param unit files that do not
 * @param seconds expected time of a file
 * @returns paths by process
 */
export function testGroups(
  wide: readonly string[],
  unit: readonly SourceFile[],
  seconds: (path: string) => number,
): readonly (readonly string[])[] {
  const alone = unit.filter(({ text }) => SHARED_HOOK.test(text)).map(({ path }) => path);
  const together = unit.map(({ path }) => path).filter((path) => !alone.includes(path));
  const total = together.reduce((sum, path) => sum + seconds(path), 0);
  const groups = Array.from({ length: Math.ceil(total / GROUP_SECONDS) }, () => ({
    paths: [] as string[],
    seconds: 0,
  }));
  // The longest first, each to the group that has the least so far.
  for (const path of together.toSorted((a, b) => seconds(b) - seconds(a))) {
    const shortest = groups.reduce((least, each) => (each.seconds < least.seconds ? each : least));
    shortest.paths.push(path);
    shortest.seconds += seconds(path);
  }
  const filled = groups.map(({ paths }) => paths).filter((paths) => paths.length > 0);
  return [...[...wide, ...alone].map((path) => [path]), ...filled];
}
