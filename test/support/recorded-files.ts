/** The files of recorded answers: one for each group, by the names of its requests. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RecordedAnswer } from './recorded-answers.ts';

export type Recorded = Readonly<Record<string, RecordedAnswer>>;

export const FOLDER: string = fileURLToPath(new URL('../fixtures/answers/', import.meta.url));

export function readRecorded(group: string): Recorded {
  return JSON.parse(readFileSync(`${FOLDER}${fileOf(group)}`, 'utf8')) as Recorded;
}

/** Names of the files there are, in order. */
export function recordedFiles(): string[] {
  return readdirSync(FOLDER).toSorted();
}

/** @param folder ends with a slash @returns how long the file is */
export function writeRecorded(folder: string, group: string, recorded: Recorded): number {
  const text = `${JSON.stringify(recorded, null, 2)}\n`;
  writeFileSync(`${folder}${fileOf(group)}`, text);
  return Buffer.byteLength(text);
}

/** The name of a group's file. */
export function fileOf(group: string): string {
  return `${group.replace(/\W+/g, '-')}.json`;
}
