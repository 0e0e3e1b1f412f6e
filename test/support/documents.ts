/**
 * Rules of the documents: each takes documents as text and returns a sentence for every break.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

export interface Document {
  /** From the root, with slashes: `docs/api/assets.md`. */
  readonly path: string;
  readonly text: string;
}

/** A parameter of the API and the document that has to have it. */
export interface Named {
  readonly name: string;
  readonly document: string;
}

const FOLDERS = ['bench', 'deploy', 'docs', 'scripts', 'src', 'test', 'workers'];
const FENCED = /^```[^]*?^```$/gm;
const INLINE = /`[^`\n]*`/g;
const LINK = /\]\(([^)\s]+)\)/g;
const HEADING = /^#{1,6} +(.+?) *$/gm;
/** `params.flag('splitIdle', …)`; and names of which there is one a resource, `algorithm${of}`. */
const READ = /\bparams\s*\.(?:text|parsed|flag|required|has)(?:<[^>]*>)?\(\s*'(\w+)'/g;
/** Readers that rooms share, and what they read; the one of an order is told its parameter. */
const SHARED_READERS: readonly (readonly [call: string, names: readonly string[]])[] = [
  ['readPageLimits(', ['limit', 'offset']],
  ['readWholeWindow(', ['window']],
];
const ORDER = /\breadIsAscending\(\s*params,\s*'(\w+)'/g;
const BY_RESOURCE = /`(\w*)\$\{of\}(\w*)`/g;
const FILE = /\b((?:src|workers|scripts|test|bench|docs|deploy)\/[\w./-]+\.(?:[jt]s|md|yaml))\b/g;

/** Every document of the project. */
export function documentsOf(root: string): Document[] {
  const within = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, ...path.split(sep)))
      .filter((path) => !path.includes('/node_modules/')),
  );
  return [...readdirSync(root), ...within]
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** @param isThere whether a path from the root is a file or a folder */
export function brokenLinks(
  documents: readonly Document[],
  isThere: (path: string) => boolean,
): string[] {
  const anchors = new Map(documents.map((each) => [each.path, anchorsOf(each.text)]));
  return documents.flatMap(({ path, text }) =>
    [...prose(text).matchAll(LINK)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : posix.join(posix.dirname(path), file);
      if (!isThere(to)) return [`${path}: links to ${to}, which is not there`];
      const isFound = anchor === undefined || anchors.get(to)?.has(anchor) === true;
      return isFound ? [] : [`${path}: links to ${to}#${anchor}, but ${to} has no such heading`];
    }),
  );
}

/** Source files that a document names. */
export function missingFiles(
  documents: readonly Document[],
  isThere: (path: string) => boolean,
): string[] {
  return documents.flatMap(({ path, text }) =>
    [...text.matchAll(FILE)]
      .map(([, file = '']) => file)
      .filter((file) => !isThere(file))
      .map((file) => `${path}: names ${file}, which is not there`),
  );
}

export function tooLong(
  documents: readonly Document[],
  limits: Readonly<Record<string, number>>,
): string[] {
  return Object.entries(limits).flatMap(([path, most]) => {
    const lines = textOf(documents, path).split('\n').length - 1;
    return lines <= most ? [] : [`${path}: ${lines} lines, at most ${most}; move details to docs/`];
  });
}

/** Routes that no line of a document has, with their method. @param routes `GET /allocation` */
export function undocumentedRoutes(
  documents: readonly Document[],
  routes: readonly string[],
): string[] {
  const lines = documents.flatMap(({ text }) => text.split('\n')).map(oneSpelling);
  return routes.flatMap((route) => {
    const [method = '', path = ''] = oneSpelling(route).split(' ');
    const shown = new RegExp(`[ \`](/model)?${path.replace(/[.?]/g, '\\$&')}[\`? ]`);
    const isFound = lines.some((line) => line.includes(method) && shown.test(line));
    return isFound ? [] : [`${route}: no document has it; add it to docs/`];
  });
}

/** Names that their document does not have in backticks. */
export function undocumented(documents: readonly Document[], named: readonly Named[]): string[] {
  return named.flatMap(({ name, document }) => {
    const codes = textOf(documents, document).match(INLINE) ?? [];
    const isFound = codes.some((code) => code === `\`${name}\``);
    return isFound ? [] : [`${name}: ${document} does not have it`];
  });
}

/** Names of parameters that a source reads. */
export function parametersIn(source: string): string[] {
  const plain = [READ, ORDER, /'(filter\w+|minRec\w+)'/g].flatMap((read) => [
    ...source.matchAll(read),
  ]);
  const shared = SHARED_READERS.filter(([call]) => source.includes(call));
  const byResource = source.includes('QueryParams') ? [...source.matchAll(BY_RESOURCE)] : [];
  const names = [
    ...plain.map(([, name = '']) => name),
    ...shared.flatMap(([, names]) => names),
    ...byResource.flatMap(([, before, after]) => [`${before}CPU${after}`, `${before}RAM${after}`]),
  ];
  return [...new Set(names)].toSorted();
}

/** Clients may write either. */
function oneSpelling(text: string): string {
  return text.replaceAll('/collections', '/collection');
}

function textOf(documents: readonly Document[], path: string): string {
  const found = documents.find((document) => document.path === path);
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found.text;
}

function prose(text: string): string {
  return text.replace(FENCED, '').replace(INLINE, '');
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = [...text.replace(FENCED, '').matchAll(HEADING)].map(([, heading = '']) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  });
  return new Set(anchors);
}
