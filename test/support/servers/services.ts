/**
 * Programs the machine may or may not have. A test that needs one asks here, skips by name when it
 * is missing, and fails instead where `REQUIRE_SERVICES=1` says that nothing may be skipped.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** @returns the path of an executable file on PATH, or undefined */
export function findBinary(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder === '' ? '.' : folder, name)).find(isExecutable);
}

/**
 * @returns the path of the program, or undefined: the caller then skips with `skipReason(name)`
 * @throws when it is missing and `REQUIRE_SERVICES=1`
 */
export function requireService(name: string): string | undefined {
  const path = findBinary(name);
  if (path === undefined && process.env['REQUIRE_SERVICES'] === '1')
    throw new Error(`cannot find '${name}' on PATH, and REQUIRE_SERVICES=1 allows no skip`);
  return path;
}

/** For node:test's `skip` option: false when every program is there, else the reason to skip. */
export function skipWithout(...names: string[]): string | false {
  const missing = names.filter((name) => requireService(name) === undefined);
  return missing.length === 0 ? false : `${missing.join(' and ')} not installed`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
