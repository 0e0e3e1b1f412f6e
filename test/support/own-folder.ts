/** A house rule: a clone works with nothing beside it. */
import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source-text.ts';

/** `new URL('…')`, up to what is put into it; such paths count from the file's folder. */
const FROM_FILE = /\bnew URL\(\s*['"`]([^'"`$]*)/g;

/**
 * A path that goes up in words or in a string, where it counts from the folder that the command runs
 * in, which is the root. `../x` alone may be a name that a test wants refused.
 */
const FROM_ROOT =
  /(?<!\b(?:from|import|import\(|new URL\()\s*['"`])(?<=^|[\s'"`=(])(?:\.\.\/){1,9}(?:[\w.-]+\/|\.\.)[\w./-]*/gm;

export function ownFolder(files: readonly SourceFile[]): string[] {
  return [...files.flatMap(importsOutside), ...files.flatMap(pathsOutside)].map(
    (each) => `${each} is outside the repository; put it into test/fixtures, or take it as an argument`, // prettier-ignore
  );
}

function importsOutside(file: SourceFile): string[] {
  return importsOf(file)
    .filter(({ to, isPackage }) => !isPackage && isAbove(to))
    .map(({ from, to }) => `${from}: ${to}`);
}

function pathsOutside({ path, text }: SourceFile): string[] {
  const lineOf = (index: number): number => text.slice(0, index).split('\n').length;
  const fromFile = [...text.matchAll(FROM_FILE)].filter(([, relative = '']) =>
    isAbove(posix.join(posix.dirname(path), relative)),
  );
  return [
    ...fromFile.map(({ 1: relative, index }) => `${path}:${lineOf(index)}: ${relative}`),
    ...[...text.matchAll(FROM_ROOT)].map(({ 0: up, index }) => `${path}:${lineOf(index)}: ${up}`),
  ];
}

function isAbove(path: string): boolean {
  return path === '..' || path.startsWith('../');
}
