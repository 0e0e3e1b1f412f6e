/** Errors of system calls as `Unavailable`: the attempted work, the reason, a hint. */
import { Unavailable } from '../query/index.ts';

const FULL = 'the disk is full: nothing is stored until there is room';
const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: 'its folder is mounted read-only: nothing can be stored in it',
};

/** The code of a failed system call, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the disk, or what this user may take of it, is full; also as the cause of another error. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '') || isDiskFull(error.cause);
}

/** @param what the attempted work: `read data/lock` */
export function cannot(what: string, cause: unknown): Unavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint = HINTS[codeOf(cause) ?? ''];
  return new Unavailable(`cannot ${what}: ${reason}`, { ...(hint ? { hint } : {}), cause });
}

/** @throws {Unavailable} for an error of a system call; any other error as it is */
export async function attempt<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw codeOf(cause) === undefined ? cause : cannot(what, cause);
  }
}

/** Like `attempt`. @returns `missing` when there is no such file or folder */
export async function unlessMissing<Result, Missing>(
  what: string,
  missing: Missing,
  work: () => Promise<Result>,
): Promise<Result | Missing> {
  return await attempt(what, async () => {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return missing;
      throw error;
    }
  });
}
