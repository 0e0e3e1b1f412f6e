/** The file of node types that the configuration names. */
import { readFileSync } from 'node:fs';
import { parseNodeTypes, type OwnPrice } from '../pricing/index.ts';
import { Fault } from '../query/index.ts';

/**
 * @param flag what named the file
 * @throws {Fault} naming the file, and in it row and column
 */
export function readNodeTypes(
  path: string | undefined,
  flag = '--node-types',
): readonly OwnPrice[] | undefined {
  return path === undefined ? undefined : parseNodeTypes(textOf(path, flag), path);
}

/** Without the byte order mark that spreadsheets write. */
function textOf(path: string, flag: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${flag}: cannot read ${path} as UTF-8: ${reason}`, {
      parameter: flag,
      cause,
    });
  }
}
