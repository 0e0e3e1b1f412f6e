/** Damages to a data folder: what happens to its files when a disk or a hand fails. */
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Damages a folder and returns the path of what it changed. */
export type Damage = (folder: string, random: () => number) => string;

/** A file of one of the newest sets, of any kind. */
export function someSet(folder: string, random: () => number, pattern: RegExp = /./): string {
  // The first version of a day that is written twice: nothing reads it.
  const older = /20240503T.*-1-\d+\.arrow$/;
  const names = readdirSync(join(folder, 'sets'))
    .filter((name) => !older.test(name) && pattern.test(name))
    .toSorted();
  return join(folder, 'sets', names[Math.floor(random() * names.length)] ?? '');
}

function flip(path: string, random: () => number): void {
  const bytes = readFileSync(path);
  // No question reads the whole of a large file: many flips, so that some hit what is read.
  for (let i = 0; i < 200; i++) {
    const at = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
  }
  writeFileSync(path, bytes);
}

function newestManifest(folder: string): string {
  const numbers = readdirSync(folder).map((name) =>
    Number(/^manifest-(\d+)\./.exec(name)?.[1] ?? 0),
  );
  return join(folder, `manifest-${Math.max(...numbers)}.json`);
}

export const FILE_DAMAGES: Readonly<Record<string, (path: string, random: () => number) => void>> =
  {
    'flipped bits': flip,
    'a cut file': (path, random) => truncateSync(path, Math.floor(random() * statSync(path).size)),
    'a removed file': (path) => rmSync(path),
  };
export const FOLDER_DAMAGES: Readonly<Record<string, Damage>> = {
  ...Object.fromEntries(
    Object.entries(FILE_DAMAGES).map(([name, damage]): [string, Damage] => [
      name,
      (folder, random) => {
        const path = someSet(folder, random);
        damage(path, random);
        return path;
      },
    ]),
  ),
  'an edited manifest': (folder) => {
    const path = newestManifest(folder);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"rows":\d/, '"rows":1'));
    return path;
  },
  'a removed manifest': (folder) => {
    const path = newestManifest(folder);
    rmSync(path);
    return path;
  },
};
