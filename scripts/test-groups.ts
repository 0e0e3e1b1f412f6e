/**
 * Which test files share a process. Starting one takes a fifth of a second of a core, and compiling
 * the kernels as much again; most unit tests take less themselves.
 */
import type { SourceFile } from '../test/support/source-text.ts';

import type { Expected } from './schedule.ts';

/** Expected time of a group. A longer one would keep a core busy after all others have ended. */
const GROUP_SECONDS = 12;
/** A longer file that opens something gains little from a process that is there already. */
const SHARED_SECONDS_MAX = 5;
/** A file that waits would keep the others of its group waiting. */
const SHARED_CORES_MIN = 0.6;

/** A file whose body waits, or gives something away, cannot be the body of a suite. */
const NO_SUITE = /^(export |await |(const|let) [^=]*=\s*await )/m;
/** Comment that gives a test file its own process, with the reason. */
const ALONE = /^\/\/ In a process of its own: /m;

/**
 * @param wide files that open something
 * @param unit files that do not
 * @param expected time and cores of a file
 * @returns paths by process
 */
export function testGroups(
  wide: readonly SourceFile[],
  unit: readonly SourceFile[],
  expected: (path: string) => Expected,
): readonly (readonly string[])[] {
  const seconds = (path: string): number => expected(path).seconds;
  const isShared = ({ text }: SourceFile): boolean => !NO_SUITE.test(text) && !ALONE.test(text);
  const isShort = ({ path }: SourceFile): boolean =>
    seconds(path) <= SHARED_SECONDS_MAX && expected(path).cores >= SHARED_CORES_MIN;
  const [sharedWide, alone] = parted(wide, (file) => isShared(file) && isShort(file));
  const [sharedUnit, aloneUnit] = parted(unit, isShared);
  return [
    ...[...alone, ...aloneUnit].map(({ path }) => [path]),
    ...evenGroups(sharedWide, seconds),
    ...evenGroups(sharedUnit, seconds),
  ];
}

function parted(
  files: readonly SourceFile[],
  isOf: (file: SourceFile) => boolean,
): readonly [readonly SourceFile[], readonly SourceFile[]] {
  return [files.filter(isOf), files.filter((file) => !isOf(file))];
}

/** The longest first, each to the group that has the least so far. */
function evenGroups(
  files: readonly SourceFile[],
  seconds: (path: string) => number,
): readonly (readonly string[])[] {
  const paths = files.map(({ path }) => path);
  const total = paths.reduce((sum, path) => sum + seconds(path), 0);
  const groups = Array.from({ length: Math.ceil(total / GROUP_SECONDS) }, () => ({
    paths: [] as string[],
    seconds: 0,
  }));
  for (const path of paths.toSorted((a, b) => seconds(b) - seconds(a))) {
    const shortest = groups.reduce((least, each) => (each.seconds < least.seconds ? each : least));
    shortest.paths.push(path);
    shortest.seconds += seconds(path);
  }
  return groups.map((group) => group.paths).filter((group) => group.length > 0);
}
