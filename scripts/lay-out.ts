/**
 * Lays out what an image has of prorata, after `npm run prepare`:
 *
 *   FOLDER/app/src/bundle/main.js   the command, with what it reads beside it (build-bundle.ts)
 *   FOLDER/app/THIRD_PARTY_NOTICES  licences of all packages, from the bundle
 *   FOLDER/app/node_modules         packages that are no part of the bundle, for this platform alone
 *   FOLDER/data                     empty: where the volume is mounted
 *
 * The same sources give the same tree: files may be read by everybody and written by nobody else, and
 * their times are SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch/), else 0.
 */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFolder } from '../src/bundle.js';
import { buildFor } from '../src/http/uws/builds.ts';
import { commandLine } from './commands.ts';
import { lockedPackages, type LockedFile } from './packages.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const {
  operands: [folder = ''],
} = commandLine('lay-out');
if (existsSync(folder)) {
  process.stderr.write(`${folder} exists: expected a new folder\n`);
  process.exit(2);
}

/** Types, sources, maps and documents of packages, which nothing loads. */
const NOT_RUN = /\.(?:d\.[cm]?ts|ts|map|md)$/;
const NOT_RUN_FOLDERS: readonly string[] = [
  'benchmark',
  'docs',
  'scripts',
  'src',
  'test',
  'test-jest',
];
/** Builds of the native HTTP engine, for several platforms and versions of Node. */
const BUILD = /^uws.*\.node$/;
/** Path within node_modules. */
const OWN_BUILD = buildFor() ?? '';

function isRun(within: string): boolean {
  const name = basename(within);
  const [first = ''] = within.split(sep);
  if (NOT_RUN.test(name) || NOT_RUN_FOLDERS.includes(first)) return false;
  return !BUILD.test(name) || name === basename(OWN_BUILD);
}

/**
 * Folders of packages that are loaded when it runs: `dependencies` of package.json and what these need.
 * Optional ones are native, and their callers do without them (Piscina, to be nice), but for the HTTP
 * engine's.
 */
function loadedPackages(): string[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as LockedFile;
  return lockedPackages(lock, new Set())
    .filter(({ use }) => use === 'installed')
    .map(({ folder: path }) => path)
    .filter(
      (path) => !lock.packages[path]?.optional || `node_modules/${dirname(OWN_BUILD)}` === path,
    );
}

/** @param when seconds since 1970 */
function settle(path: string, when: number): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) settle(join(path, name), when);
  chmodSync(path, isFolder ? 0o755 : 0o644);
  utimesSync(path, when, when);
}

// V8's code cache is written by servers that ran here, so it differs from build to build.
const compiled = join(bundleFolder(), 'compiled');
cpSync(bundleFolder(), join(folder, 'app'), {
  recursive: true,
  filter: (path) => path !== compiled,
});
for (const each of loadedPackages()) {
  const from = join(ROOT, each);
  const filter = (path: string): boolean => path === from || isRun(relative(from, path));
  cpSync(from, join(folder, 'app', each), { recursive: true, filter });
}
cpSync(join(ROOT, 'LICENSE'), join(folder, 'app/LICENSE'));
mkdirSync(join(folder, 'data'));
settle(folder, Number(process.env['SOURCE_DATE_EPOCH'] ?? 0));
