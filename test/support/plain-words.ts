/**
 * The house rules of words and of width. Files that broke them before they were rules are listed in
 * test/fixtures/known-breaks.json with how often: a number there may fall, and none may be added.
 */
import { readFileSync } from 'node:fs';
import { codeOf, type SourceFile } from './source-text.ts';

type Counts = Readonly<Record<string, number>>;
type Known = Readonly<Record<'subjectFirst' | 'wideLogic', Counts>>;

const KNOWN = JSON.parse(
  readFileSync(new URL('../fixtures/known-breaks.json', import.meta.url), 'utf8'),
) as Known;

const OPENING = '(Of|Whose|That|In whose)\\b';
const DOC_COMMENT = new RegExp(`/\\*\\*[\\s*]*${OPENING}`, 'g');
const TEST_NAME = new RegExp(`\\b(?:test|describe)(?:\\.\\w+)?\\(\\s*['"\`]${OPENING}`, 'gi');

const COLUMNS_MAX = 160;
/** By hand laid out: the line itself, or the statement that ends on it. */
const BY_HAND = /\/\/ prettier-ignore\s*$/;
/** What a table has none of. */
const LOGIC = /=>|\b(?:if|for|while|return|await|throw|function|switch)\b|\?\?|&&|\|\|/;

/** A doc comment and a test's name begin with their subject. */
export function subjectFirst(
  files: readonly SourceFile[],
  known: Counts = KNOWN.subjectFirst,
): string[] {
  return beyond(
    files,
    known,
    openings,
    'begins with its genitive or its relative clause; put the subject first',
  );
}

/** Tables may be wide and laid out by hand, logic may not. */
export function wideLogic(files: readonly SourceFile[], known: Counts = KNOWN.wideLogic): string[] {
  return beyond(
    files,
    known,
    wideLines,
    'is logic, not a table: let prettier lay it out, or name a part of it',
  );
}

function beyond(
  files: readonly SourceFile[],
  known: Counts,
  find: (file: SourceFile) => readonly number[],
  what: string,
): string[] {
  return files.flatMap((file) => {
    const lines = find(file);
    const allowed = known[file.path] ?? 0;
    if (lines.length <= allowed) return [];
    const before = allowed === 0 ? '' : ` (${lines.length}, known are ${allowed})`;
    return [`${file.path}:${lines.join(',')}: ${what}${before}`];
  });
}

function openings({ text }: SourceFile): number[] {
  return [...text.matchAll(DOC_COMMENT), ...text.matchAll(TEST_NAME)]
    .map(({ index }) => text.slice(0, index).split('\n').length)
    .toSorted((a, b) => a - b);
}

function wideLines(file: SourceFile): number[] {
  const code = codeOf(file).split('\n');
  return file.text.split('\n').flatMap((line, index) => {
    const isOdd = line.length > COLUMNS_MAX || BY_HAND.test(line);
    return isOdd && LOGIC.test(code[index] ?? '') ? [index + 1] : [];
  });
}
