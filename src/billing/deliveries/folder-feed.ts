/**
 * A watched folder: PURPOSE/SOURCE, and below them files of bills. All files of one folder are a
 * delivery, which counts once none of them has changed for a while.
 */
import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openBillFile } from '../focus/index.ts';
import { isSource, PURPOSES, type SourceId } from './bill-key.ts';
import { openFiles, unreachable, type BillFeed, type Offer } from './feeds.ts';

export interface FolderFeedOptions {
  readonly folder: string;
  readonly nowMs: () => number;
  /** Milliseconds for which files must be unchanged before they are read. */
  readonly settleMs: number;
  /** Called for folders whose name is not that of a source. */
  readonly onUnmatched: (sentence: string) => void;
}

/** Names of bills; other files are manifests, checksums and files that are still being written. */
const BILL_NAME = /^[^._].*\.(csv|parquet|gz|zst)$/i;
const DEPTH_MAX = 8;

export function createFolderFeed(options: FolderFeedOptions): BillFeed {
  return {
    async offers() {
      const offers: Offer[] = [];
      for (const as of PURPOSES) {
        for (const source of await foldersIn(join(options.folder, as))) {
          if (isSource(source)) await addOffers(options, { as, source }, [], offers);
          else options.onUnmatched(`${join(options.folder, as, source)} is no name of a source`);
        }
      }
      return offers;
    },
  };
}

async function addOffers(
  options: FolderFeedOptions,
  place: SourceId,
  below: readonly string[],
  offers: Offer[],
): Promise<void> {
  const { as, source } = place;
  const folder = join(options.folder, as, source, ...below);
  const paths = (await namesIn(folder, 'file'))
    .filter((name) => BILL_NAME.test(name))
    .map((name) => join(folder, name));
  const version = await versionOf(options, paths);
  if (version !== undefined) {
    const label = `${[as, source, ...below].join('/')} ${version}`;
    offers.push({ as, source, label, open: () => openFiles(paths, (path) => openBillFile(path)) });
  }
  if (below.length === DEPTH_MAX) return;
  for (const name of await foldersIn(folder)) {
    await addOffers(options, place, [...below, name], offers);
  }
}

/** @returns undefined where there is no file, or one is too young to be complete */
async function versionOf(
  { nowMs, settleMs }: FolderFeedOptions,
  paths: readonly string[],
): Promise<string | undefined> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const about = await stat(path).catch(() => undefined);
    if (about === undefined || nowMs() - about.mtimeMs < settleMs) return undefined;
    hash.update(JSON.stringify([path, about.size, about.mtimeMs]));
  }
  return paths.length === 0 ? undefined : hash.digest('hex').slice(0, 16);
}

function foldersIn(folder: string): Promise<string[]> {
  return namesIn(folder, 'folder');
}

/** Names in order; none where there is no folder. */
async function namesIn(folder: string, kind: 'file' | 'folder'): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw unreachable(folder, error);
  });
  return entries
    .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory()))
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.'))
    .toSorted();
}
