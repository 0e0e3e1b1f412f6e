/**
 * THIRD_PARTY_NOTICES: name, version, licence and licence texts of each package that runs, from the lock
 * file and the installed packages. The same packages give the same bytes on every platform.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LockedPackage } from './packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The file, from the root of a bundle. */
export const NOTICES_FILE = 'THIRD_PARTY_NOTICES';

/** Texts of packages without a licence file, by SPDX id. */
const SPDX_TEXTS: Readonly<Record<string, string>> = {
  'Apache-2.0': 'LICENSE',
  'BSD-3-Clause': 'scripts/licences/BSD-3-Clause.txt',
  MIT: 'scripts/licences/MIT.txt',
};

/** The licence requires the copyright line, which its SPDX text lacks. */
const WITH_COPYRIGHT: readonly string[] = ['BSD-3-Clause', 'MIT'];

const LICENCE_FILE = /^(?:licen[cs]e|copying)(?:[.-].*)?$/i;
const NOTICE_FILE = /^(?:notice|copyright(?:notice)?)(?:[.-].*)?$/i;
const COPYRIGHT_LINE = /^[\s/*#]*(Copyright\b.*\d{4}.*?)[\s*/]*$/gm;
const RULE = '='.repeat(80);

export interface Notice {
  /** A package and its builds for platforms, which have the same licence; or a build that no package needs. */
  readonly packages: readonly LockedPackage[];
  readonly texts: readonly { readonly title: string; readonly text: string }[];
}

/**
 * @param packages of the lock file; those of development are left out
 * @param root of the project, with its node_modules
 * @throws for a package without a licence text
 */
export function noticesOf(packages: readonly LockedPackage[], root: string = ROOT): Notice[] {
  const running = packages.filter(({ use }) => use !== 'development');
  const buildsOf = (one: LockedPackage): LockedPackage[] =>
    running.filter(({ isPlatformBuild, folder }) => isPlatformBuild && one.needs.includes(folder));
  const notices: Notice[] = running
    .filter(({ isPlatformBuild }) => !isPlatformBuild)
    .map((one) => ({ packages: [one, ...buildsOf(one)], texts: textsOf(one, root) }));
  const covered = new Set(notices.flatMap((notice) => notice.packages));
  // Most are not installed here: their text is that of their declared licence.
  for (const one of running)
    if (!covered.has(one)) notices.push({ packages: [one], texts: spdxTexts(one, []) });
  for (const { packages: together } of notices)
    for (const one of together)
      if (one.licence !== together[0]?.licence) throw missing(one, 'the licence of its package');
  return notices;
}

function missing({ name, version }: LockedPackage, what: string): Error {
  return new Error(`cannot write ${NOTICES_FILE}: ${name} ${version} lacks ${what}`);
}

function textsOf(one: LockedPackage, root: string): Notice['texts'] {
  const folder = join(root, one.folder);
  if (!existsSync(folder)) throw missing(one, `its folder, ${one.folder}`);
  const files = filesOf(folder);
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const named = (pattern: RegExp): string[] =>
    files.filter((path) => pattern.test(path.slice(path.lastIndexOf('/') + 1)));
  const notices = named(NOTICE_FILE).map((path) => ({ title: path, text: read(path) }));
  const licences = named(LICENCE_FILE).map((path) => ({ title: path, text: read(path) }));
  if (licences.some(({ title }) => !title.includes('/'))) return [...licences, ...notices];
  return [...spdxTexts(one, copyrightLines(read, files)), ...licences, ...notices];
}

/** Copyright lines of the sources, else of the author. */
function copyrightLines(read: (path: string) => string, files: readonly string[]): string[] {
  const found = files
    .filter((path) => /\.[cm]?js$/.test(path))
    .flatMap((path) => [...read(path).matchAll(COPYRIGHT_LINE)])
    .map(([, line = '']) => line.replaceAll(/ +/g, ' '));
  if (found.length > 0) return [...new Set(found)].toSorted();
  const { author } = JSON.parse(read('package.json')) as { author?: string | { name?: string } };
  const holder = typeof author === 'object' ? author.name : author;
  return holder === undefined || holder === '' ? [] : [`Copyright (c) ${holder}`];
}

/** The texts of the declared licences below copyright lines. */
function spdxTexts(one: LockedPackage, lines: readonly string[]): Notice['texts'] {
  const ids = one.licence.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /);
  return ids.map((id) => {
    const path = SPDX_TEXTS[id];
    if (path === undefined) throw missing(one, `a licence file, and '${id}' has no text here`);
    if (lines.length === 0 && WITH_COPYRIGHT.includes(id)) throw missing(one, 'a copyright line');
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/^\n+/, '');
    return { title: `SPDX: ${id}`, text: [...lines, '', text].join('\n') };
  });
}

/** Paths within a package, without packages that it carries. */
function filesOf(folder: string, within = ''): string[] {
  return readdirSync(join(folder, within), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.name === 'node_modules') return [];
      const path = `${within}${entry.name}`;
      return entry.isDirectory() ? filesOf(folder, `${path}/`) : [path];
    });
}

export function noticesText(notices: readonly Notice[]): string {
  const blocks = notices.map(({ packages, texts }) => {
    const heads = packages.map(({ name, version }) => `${name} ${version}`);
    const [first] = packages;
    const bodies = texts.map(({ title, text }) => `--- ${title}\n\n${tidy(text)}`);
    const about = [`Licence: ${first?.licence}`, `Use: ${first?.use}`];
    return `${RULE}\n${[...heads, ...about].join('\n')}\n${RULE}\n${bodies.join('\n\n')}\n`;
  });
  return `${HEAD}\n${blocks.join('\n')}`;
}

const HEAD = `Third-party notices of prorata

Packages that are part of the bundle ("bundled") or are loaded by it
("installed"), with their licences. prorata itself: LICENSE.

src/pricing/list contains list prices that AWS, Azure, DigitalOcean, Google
Cloud, OVHcloud and Scaleway publish.
`;

function tidy(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/^\n+|\n+$/g, '');
}

/** `name version` of each package, as the text has them. */
export function namedIn(text: string): string[] {
  return text.split(`${RULE}\n`).flatMap((part, i) => (i % 2 === 1 ? headsOf(part) : []));
}

function headsOf(part: string): string[] {
  const lines = part.trimEnd().split('\n');
  return lines.slice(
    0,
    lines.findIndex((line) => line.startsWith('Licence: ')),
  );
}
