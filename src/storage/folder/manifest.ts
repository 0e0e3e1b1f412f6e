/**
 * A manifest names the files that make up one generation of the store. Its own file is a checked text
 * (checked-text.ts) of
 *
 *   {"generation":7,"builder":{"holder":…,"term":…},"sets":[
 *   {"key":…,"meta":…,"rows":…,"file":…,"bytes":…,"crc32":…,"directory":[…]},
 *   …
 *   ]}
 *
 * and never changes; the builder is named where several processes share the store. Each generation has a file of its own, named by its number.
 */
import type { Region } from '../arrow/directory.ts';
import { checkedText, readChecked, type DamagedText } from '../checked-text.ts';
import type { Mark } from '../mark.ts';
import { idOf, type SetKey } from '../set-key.ts';
import { type SetInfo } from '../sets.ts';

export interface Entry extends SetInfo {
  /** The file's name in the folder of sets. */
  readonly file: string;
  readonly crc32: number;
  readonly directory: Region;
}

export interface Manifest {
  readonly generation: number;
  /** The builder that committed last, where several processes share the store. */
  readonly builder?: Mark;
  /** Entries by the `idOf` of their keys. */
  readonly sets: ReadonlyMap<string, Entry>;
}

const NAME = /^manifest-(\d{1,15})\.json$/;
const SET_NAME = /^([a-z][a-z0-9-]*)-(\d{8}T\d{9}Z)-(\d{8}T\d{9}Z)-(\d+)-\d+\.arrow$/;
const TIME = /^(....)(..)(..)T(..)(..)(..)(...)Z$/;

export function manifestName(generation: number): string {
  return `manifest-${generation}.json`;
}

/** @returns undefined for another file */
export function generationOf(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** A name that no other file of the store ever has. */
export function setName(key: SetKey, generation: number, index: number): string {
  const [start, end] = [key.startMs, key.endMs].map((ms) =>
    new Date(ms).toISOString().replace(/[-:.]/g, ''),
  );
  return `${key.kind}-${start}-${end}-${generation}-${index}.arrow`;
}

export function isSetName(name: string): boolean {
  return SET_NAME.test(name);
}

/** @returns undefined for a name that no set's file has */
export function readSetName(name: string): { key: SetKey; generation: number } | undefined {
  const [, kind, start, end, generation] = SET_NAME.exec(name) ?? [];
  if (kind === undefined || start === undefined || end === undefined) return undefined;
  const [startMs, endMs] = [msOf(start), msOf(end)];
  return { key: { kind, startMs, endMs }, generation: Number(generation) };
}

function msOf(time: string): number {
  return Date.parse(time.replace(TIME, '$1-$2-$3T$4:$5:$6.$7Z'));
}

export function manifestText({ generation, builder, sets }: Manifest): string {
  const lines = Array.from(sets.values(), (entry) => JSON.stringify(entry));
  const by = builder === undefined ? '' : `"builder":${JSON.stringify(builder)},`;
  return checkedText(
    'manifest',
    `{"generation":${generation},${by}"sets":[\n${lines.join(',\n')}\n]}\n`,
  );
}

export function readManifest(text: string): Manifest | DamagedText {
  const read = readChecked('manifest', text);
  if ('damage' in read) return read;
  const { sets, ...about } = JSON.parse(read.body) as Omit<Manifest, 'sets'> & { sets: Entry[] };
  return { ...about, sets: new Map(sets.map((entry) => [idOf(entry.key), entry])) };
}
