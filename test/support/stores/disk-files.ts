/** Files of a scripted bucket in a folder: each is there, whole, once `set` has returned, also when the process is killed. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { join } from 'node:path';
import type { S3File } from './s3-script.ts';

const UNFINISHED = '.part';

export class DiskFiles extends Map<string, S3File> {
  readonly #folder: string;

  constructor(folder: string) {
    super();
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (name.endsWith(UNFINISHED)) rmSync(path);
      else super.set(decodeURIComponent(name), fileAt(path));
    }
  }

  override set(key: string, file: S3File): this {
    const path = this.#pathOf(key);
    writeFileSync(path + UNFINISHED, file.content);
    renameSync(path + UNFINISHED, path);
    return super.set(key, file);
  }

  override delete(key: string): boolean {
    rmSync(this.#pathOf(key), { force: true });
    return super.delete(key);
  }

  #pathOf(key: string): string {
    return join(this.#folder, encodeURIComponent(key));
  }
}

function fileAt(path: string): S3File {
  const content = readFileSync(path);
  const etag = `"${createHash('md5').update(content).digest('hex')}"`;
  return { content, etag, changed: statSync(path).mtime.toISOString() };
}
