/** Source files as text, what they import, and their text without comments and strings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

export interface SourceFile {
  /** From the root, with slashes: `src/query/time/window.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** The file's path, or a package's name: `@scope/name` of `@scope/name/part`. */
  readonly to: string;
  readonly isPackage: boolean;
  /** Erased when run: `import type`, `export type`. */
  readonly isType: boolean;
}

const STATEMENT = /^(?:import|export)( type)?\b[^;'"]*?\bfrom '([^']+)'/gm;
const BARE = /^import( type)? '([^']+)'/gm;
const CALL = /\bimport( type)?\('([^']+)'\)/g;

const COMMENT_OR_STRING =
  /\/\*[^]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Every script of the folders that hold code. */
export function sourceFiles(root: string): SourceFile[] {
  return ['src', 'workers', 'bench', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, ...path.split(sep)))
      .filter((path) => /\.([jt]s|tsx)$/.test(path) && !path.includes('/node_modules/'))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}

/** Statements as prettier lays them out; `import()` with a literal counts, Node's own do not. */
export function importsOf({ path, text }: SourceFile): Import[] {
  const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [STATEMENT, BARE, CALL]
    .flatMap((form) => [...code.matchAll(form)])
    .map(([, type, specifier = '']) => ({ isType: type !== undefined, specifier }))
    .filter(({ specifier }) => !specifier.startsWith('node:'))
    .map(({ isType, specifier }) => {
      const isPackage = !specifier.startsWith('.');
      const to = isPackage ? packageName(specifier) : posix.join(posix.dirname(path), specifier);
      return { from: path, to, isPackage, isType };
    });
}

/** Comments are gone, strings empty; lines stay where they are. */
export function codeOf({ text }: SourceFile): string {
  return text.replace(COMMENT_OR_STRING, (match) => {
    const lines = match.replace(/[^\n]/g, '');
    return match.startsWith('/') ? lines : `'${lines}'`;
  });
}

function packageName(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
