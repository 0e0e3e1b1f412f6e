/** Files of tokens and keys that a platform mounts, and renews: read again whenever they are needed. */
import { readFile } from 'node:fs/promises';
import { Unavailable } from '../query/index.ts';

const BYTES_MAX = 64 * 1024;

/** @throws {Unavailable} naming the file, and nothing of it */
export async function readTokenFile(path: string, what: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no text';
    throw new Unavailable(`cannot read ${what}, ${path}: ${code}`);
  });
  const token = text.trim();
  if (token !== '' && token.length <= BYTES_MAX) return token;
  throw new Unavailable(
    `${what}, ${path}, is ${token === '' ? 'empty' : `longer than ${BYTES_MAX} bytes`}`,
  );
}
