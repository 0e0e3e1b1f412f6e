/** The file of node types that the configuration names. */
import { readFileSync } from 'node:fs';
import { parseNodeTypes, type OwnPrice } from '../pricing/index.ts';
import { Fault } from '../query/index.ts';

/** @throws {Fault} naming the file, and in it row and column */
export function readNodeTypes(path: string | undefined): readonly OwnPrice[] | undefined {
  return path === undefined ? undefined : parseNodeTypes(textOf(path), path);
}

/** Without the byte order mark that spreadsheets write. */
function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`--node-types: cannot read ${path} as UTF-8: ${reason}`, {
      parameter: '--node-types',
      cause,
    });
  }
}
