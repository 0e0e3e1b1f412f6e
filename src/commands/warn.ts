import { hideSecrets } from '../query/index.ts';

/** A line on standard error of a command that goes on nevertheless. */
export function warn(sentence: string): void {
  process.stderr.write(`warning: ${hideSecrets(sentence)}\n`);
}
