/**
 * Where a store lies in a bucket, in the layout of a folder (folder/arrow-files.ts):
 *
 *   <prefix>manifest-7.json     the newest generation, which no writer but one could write
 *   <prefix>newest.json         its number, or one before it
 *   <prefix>sets/<name>.arrow   written once
 *   <prefix>quarantine/         damaged objects
 */
import { crc32 } from 'node:zlib';
import type { Bucket } from '../../buckets/index.ts';
import { QUARANTINE, SETS } from '../folder/folders.ts';
import { manifestName, type Entry } from '../folder/manifest.ts';

export interface ObjectPlace {
  readonly bucket: Bucket;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
}

export const NEWEST = 'newest.json';
/** The damage of a set without its object. */
export const MISSING = 'its object is missing';

/** Bytes of an object that are read at once. */
const PART_BYTES = 8 << 20;

/** As it is told: `s3://bucket/prefix/`. */
export function nameOfStore({ bucket, prefix }: ObjectPlace): string {
  return `${bucket.name}/${prefix}`;
}

export function manifestKey({ prefix }: ObjectPlace, generation: number): string {
  return prefix + manifestName(generation);
}

export function setKey({ prefix }: ObjectPlace, file: string): string {
  return `${prefix}${SETS}/${file}`;
}

export function quarantineKey({ prefix }: ObjectPlace, file: string): string {
  return `${prefix}${QUARANTINE}/${file}`;
}

/**
 * Reads the whole object of a set.
 * @returns why it is not as it was written
 * @throws {Unavailable} when the bucket does not answer
 */
export async function objectDamage(
  place: ObjectPlace,
  { file, bytes, crc32: written }: Entry,
  signal: AbortSignal,
): Promise<string | undefined> {
  const object = { key: setKey(place, file), version: '' };
  let [at, sum] = [0, 0];
  for (;;) {
    const part = await place.bucket.readRange(object, { at, bytes: PART_BYTES }, signal);
    if (part === undefined) return MISSING;
    sum = crc32(part, sum);
    at += part.length;
    if (part.length < PART_BYTES) break;
  }
  if (at !== bytes) return `its object has ${at} of ${bytes} bytes`;
  return sum === written ? undefined : 'its object has not the bytes written';
}
