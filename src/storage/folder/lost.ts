/**
 * Recovery from a lost manifest: the one before it counts, with older sets. Names of set files have the
 * generation that made them, so the files of the lost one are known.
 */
import { manifestName, readSetName, type Entry, type Manifest } from './manifest.ts';
import type { Generations } from './checks.ts';
import { idOf, nameOf, type SetMeta } from '../set-key.ts';

export interface Lost {
  /** The lost generation; a later one may have been begun, and was never committed. */
  readonly generation: number;
  /** `manifest-7.json is missing` */
  readonly why: string;
  /** Whether its file is missing; else it is damaged. */
  readonly isMissing: boolean;
}

/** @param files names in the folder of sets */
export function lostIn(generations: Generations, files: readonly string[]): Lost | undefined {
  const { whole, damaged, recorded } = generations;
  const newest = whole[0]?.generation ?? 0;
  const [bad] = damaged;
  const known = typeof recorded === 'number' ? recorded : 0;
  if (bad !== undefined && bad.generation > newest && bad.generation >= known) {
    return { generation: bad.generation, why: `${bad.what} is damaged`, isMissing: false };
  }
  if (known > newest) {
    return { generation: known, why: `${manifestName(known)} is missing`, isMissing: true };
  }
  const isWithout = recorded === 'none' && whole.length === 0 && files.some(isSet);
  if (!isWithout) return undefined;
  return { generation: Infinity, why: 'the manifest is missing', isMissing: true };
}

function isSet(file: string): boolean {
  return readSetName(file) !== undefined;
}

const UNKNOWN: SetMeta = { state: 'partial', timezone: '', createdMs: 0, source: '', warnings: [] };

/**
 * Entries that replace those of the manifest that counts, by `idOf`: of sets that have an older version
 * now, and of sets that no manifest names any more.
 * @param files names in the folder of sets
 */
export function lostEntries(
  manifest: Manifest,
  { generation, why }: Lost,
  files: readonly string[],
): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const file of files) {
    const named = readSetName(file);
    if (named === undefined || named.generation <= manifest.generation) continue;
    if (named.generation > generation) continue;
    const { key } = named;
    const id = idOf(key);
    const older = manifest.sets.get(id);
    const damage = `${why}, which named it`;
    const none = {
      key,
      meta: UNKNOWN,
      rows: 0,
      file,
      bytes: 0,
      crc32: 0,
      directory: [0, 0, 0] as const,
    };
    entries.set(id, older === undefined ? { ...none, damage } : olderFor(older, damage));
  }
  return entries;
}

/** An older version of a set in place of the newest. */
export function olderFor(older: Entry, damage: string): Entry {
  return older.damage === undefined ? { ...older, insteadOf: damage } : older;
}

/** Notes for the operator. */
export function lostNotes(
  newest: Manifest | undefined,
  { why }: Lost,
  entries: Iterable<Entry>,
): string[] {
  const counts = newest ? `${manifestName(newest.generation)} counts` : 'no other counts';
  return [
    `${why}: ${counts}, and what was changed since is lost`,
    ...Array.from(entries, ({ key, insteadOf }) => {
      const now = insteadOf === undefined ? 'lost' : 'of an older version';
      return `the stored ${nameOf(key)} are ${now}: ${why}`;
    }),
  ];
}
