import { refuse } from '../fault.ts';

const FORMS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['t', true],
  ['true', true],
  ['0', false],
  ['f', false],
  ['false', false],
]);

/** `1,t,true,0,f,false` in any case. @throws Fault naming `parameter` for anything else */
export function parseBoolean(text: string, parameter: string): boolean {
  const value = readBoolean(text);
  if (value === undefined) {
    throw refuse(parameter, text, 'a boolean: true, t, 1, false, f or 0', 'true');
  }
  return value;
}

/** As `parseBoolean`, for grammars that hold a boolean: undefined where that one throws. */
export function readBoolean(text: string): boolean | undefined {
  return FORMS.get(text.trim().toLowerCase());
}
