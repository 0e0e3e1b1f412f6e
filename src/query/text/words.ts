/** Reads parameters that are lists, one of several words, or whole numbers. */
import { refuse } from '../fault.ts';

/** Items of a comma list, without blanks around them; empty ones are left out. */
export function listItems(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/**
 * Reads one of `words`, in any case.
 * @param accepted the accepted words, for the error
 * @throws {Fault} naming the parameter
 */
export function oneOf<const Word extends string>(
  parameter: string,
  words: readonly Word[],
  accepted: string = `one of ${words.join(', ')}`,
): (text: string) => Word {
  return (text) => {
    const wanted = text.trim().toLowerCase();
    const found = words.find((one) => one.toLowerCase() === wanted);
    if (found !== undefined) return found;
    throw refuse(parameter, text, accepted, words[1] ?? words[0] ?? '', words);
  };
}

/** Reads a whole number, 0 or more. @throws {Fault} naming the parameter */
export function wholeNumber(parameter: string): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text.trim()) ? Number(text) : NaN;
    if (Number.isSafeInteger(value)) return value;
    throw refuse(parameter, text, 'a whole number, 0 or more', '500');
  };
}
