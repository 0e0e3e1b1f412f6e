/** The house rules of words and of width. */
import { codeOf, type SourceFile } from './source-text.ts';

const OPENING = '(Of|Whose|That|In whose)\\b';
const DOC_COMMENT = new RegExp(`/\\*\\*[\\s*]*${OPENING}`, 'g');
const TEST_NAME = new RegExp(`\\b(?:test|describe)(?:\\.\\w+)?\\(\\s*['"\`]${OPENING}`, 'gi');

const COLUMNS_MAX = 160;
/** By hand laid out: the line itself, or the statement that ends on it. */
const BY_HAND = /\/\/ prettier-ignore\s*$/;
/** What a table has none of. */
const LOGIC = /=>|\b(?:if|for|while|return|await|throw|function|switch)\b|\?\?|&&|\|\|/;

/** A doc comment and a test's name begin with their subject. */
export function subjectFirst(files: readonly SourceFile[]): string[] {
  const what = 'begins with its genitive or its relative clause; put the subject first';
  return files.flatMap((file) => reported(file, openings(file), what));
}

/** Tables may be wide and laid out by hand, logic may not. */
export function wideLogic(files: readonly SourceFile[]): string[] {
  const what = 'is logic, not a table: let prettier lay it out, or name a part of it';
  return files.flatMap((file) => reported(file, wideLines(file), what));
}

function reported({ path }: SourceFile, lines: readonly number[], what: string): string[] {
  return lines.length === 0 ? [] : [`${path}:${lines.join(',')}: ${what}`];
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
