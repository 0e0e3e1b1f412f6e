/**
 * Which test files share a process. Starting one takes a fifth of a second of a core, and compiling
 * the kernels as much again; most unit tests take less themselves.
 */
import type { SourceFile } from '../test/support/source-text.ts';

/** More would leave less for other processes to take over at the end, and hold more memory. */
const GROUP_FILES_MAX = 16;

/**
 * Hooks of a file's top level: in a shared process they would run around tests of other files, and what
 * runs `after` all would run after the test that goes on while the file is loaded.
 */
const SHARED_HOOK = /^(beforeEach|afterEach|before|after)\(/m;

/**
 * @param wide files that open something, each in a process of its own
 * @param unit files that do not
 * @returns paths by process, in the order in which they are begun
 */
export function testGroups(
  wide: readonly string[],
  unit: readonly SourceFile[],
): readonly (readonly string[])[] {
  const alone = unit.filter(({ text }) => SHARED_HOOK.test(text)).map(({ path }) => path);
  const together = unit.map(({ path }) => path).filter((path) => !alone.includes(path));
  const count = Math.ceil(together.length / GROUP_FILES_MAX);
  // Neighbours are alike in what they cost: dealt out in turn, groups are alike.
  const groups = Array.from({ length: count }, (_, group) =>
    together.filter((_path, index) => index % count === group),
  );
  return [...[...wide, ...alone].map((path) => [path]), ...groups];
}
