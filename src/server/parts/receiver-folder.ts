import { join } from 'node:path';

/** Where received samples are, within the data folder. */
export function receiverFolder(dataDir: string): string {
  return join(dataDir, 'receiver');
}
