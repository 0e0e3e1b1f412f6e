import { refuse } from '../fault.ts';

const FORMS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['t', true],
  ['true', true],
  ['y', true],
  ['yes', true],
  ['on', true],
  ['0', false],
  ['f', false],
  ['false', false],
  ['n', false],
  ['no', false],
  ['off', false],
]);

/** Spellings that may be mistyped. */
const WORDS: readonly string[] = ['true', 'false'];

/** `1,t,true,y,yes,on,0,f,false,n,no,off` in any case. @throws Fault naming `parameter` for anything else */
export function parseBoolean(text: string, parameter: string): boolean {
  const value = readBoolean(text);
  if (value === undefined) {
    const accepted = 'a boolean: true, yes, on, t, y, 1, or false, no, off, f, n, 0';
    throw refuse(parameter, text, accepted, 'true', WORDS);
  }
  return value;
}

/** As `parseBoolean`, for grammars that hold a boolean: undefined where that one throws. */
export function readBoolean(text: string): boolean | undefined {
  return FORMS.get(text.trim().toLowerCase());
}
