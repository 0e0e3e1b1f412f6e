/** Changes by a command, recorded as the server records those of requests. */
import { userInfo } from 'node:os';
import { openRecordedChanges, type RecordedChanges } from '../server/recorded-changes.ts';
import { warn } from '../terminal/warn.ts';

interface Place {
  readonly auditLog?: string | undefined;
  readonly auditLogBytes?: number;
  readonly auditLogFiles?: number;
  readonly dataDir?: string | undefined;
}

/**
 * Gives the work the log of changes of the folder, or the one that the settings name.
 * @throws {Unavailable} when the file that the settings name cannot be written
 */
export async function withRecordedChanges<T>(
  { auditLog, auditLogBytes = Infinity, auditLogFiles = 1, dataDir }: Place,
  work: (changes: RecordedChanges) => Promise<T>,
): Promise<T> {
  const place = { auditLog, auditLogBytes, auditLogFiles, dataDir };
  const log = { error: (_: object, message: string): void => warn(message) };
  const changes = await openRecordedChanges(place, false, log, { who: userName(), from: 'cli' });
  try {
    return await work(changes);
  } finally {
    await changes.close();
  }
}

/** The user's number where the system has no name for it, as in containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
