import { hideSecrets } from '../query/index.ts';

/** Prints a line on standard error; the command goes on. */
export function warn(sentence: string): void {
  process.stderr.write(`warning: ${hideSecrets(sentence)}\n`);
}
