/** The files of list prices that come with the program. */
import { readFileSync } from 'node:fs';

/** @param file such as `aws.csv` */
export function listText(file: string): string {
  return readFileSync(new URL(`../../src/pricing/list/${file}`, import.meta.url), 'latin1');
}
