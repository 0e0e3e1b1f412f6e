/**
 * Reads the text of a filter. The grammar is OpenCost's (core/pkg/filter/ast), and also accepts what its
 * clients write: bare words, `\"` and `\\`, and a blank for `+`, as an unescaped `+` in a URL becomes one.
 *
 *   filter      element ( joint element )*     one kind of joint; others in parentheses
 *   joint       '+' | blank                    all
 *               '|'                            any
 *   element     '(' filter ')' | comparison
 *   comparison  field [ '[' name ']' ] [ '!' ] ( ':' | '~:' | '<~:' | '~>:' ) value ( ',' value )*
 *   value       '"' text '"' | word            a word is free of blanks and of ()[]{}"'`,:+|*\!~<>
 *
 * Blanks may be between all parts. `:` equals, `~:` contains, `<~:` starts with, `~>:` ends with; `!`
 * negates. Several values are alternatives; negated, none of them may match.
 */
import { storeName } from './aggregate.ts';
import { snakeName } from './label-values.ts';
import { Fault } from '../fault.ts';
import { OPERATORS } from './filter-format.ts';
import { allOf, anyOf, type Comparison, type Filter } from './filter.ts';
import { nearest } from '../text/nearest.ts';

/** A field of rows that filters can compare. */
export interface FilterField {
  readonly name: string;
  /** Other spellings; all are read in any case. */
  readonly aliases?: readonly string[];
  /** A map takes a name, as `label[app]`; without one its names are compared. */
  readonly isMap?: boolean;
}

export interface FilterGrammar {
  readonly parameter: string;
  readonly fields: readonly FilterField[];
  /** A filter to show in hints. */
  readonly example: string;
}

const MAX_DEPTH = 100;
const BLANKS = /\s*/y;
const LETTERS = /[a-zA-Z]*/y;
const WORD = /[^\s()[\]{}"'`,:+|*\\!~<>]*/y;
const OPERATOR = "an operator: ':', '~:', '<~:', '~>:', or one of them with '!' before it";
const VALUE = 'a value: a word, or any text in double quotes';
const ELEMENT = "a field or '('";

/**
 * Time is linear in the text.
 * @returns null for a blank text: everything
 * @throws Fault naming the parameter, the character, the text there and what is accepted
 */
export function parseFilter(text: string, grammar: FilterGrammar): Filter | null {
  return text.trim() === '' ? null : new FilterReader(text, grammar).read();
}

class FilterReader {
  readonly #text: string;
  readonly #grammar: FilterGrammar;
  readonly #fields: Map<string, FilterField> = new Map();
  #at = 0;

  constructor(text: string, grammar: FilterGrammar) {
    this.#text = text;
    this.#grammar = grammar;
    for (const field of grammar.fields) {
      for (const name of [field.name, ...(field.aliases ?? [])]) {
        this.#fields.set(name.toLowerCase(), field);
      }
    }
  }

  read(): Filter {
    const filter = this.#scope(0);
    if (this.#at < this.#text.length) throw this.#expected("the end: no '(' is open");
    return filter;
  }

  /** Elements up to the end or a `)`. */
  #scope(depth: number): Filter {
    const parts = [this.#element(depth)];
    let kind: 'all' | 'any' | undefined;
    for (;;) {
      const start = this.#at;
      const joint = this.#joint();
      if (joint === undefined) return kind === 'any' ? anyOf(parts) : allOf(parts);
      kind ??= joint;
      if (joint !== kind) throw this.#mixed(start, kind);
      parts.push(this.#element(depth));
    }
  }

  #joint(): 'all' | 'any' | undefined {
    const isSpaced = this.#take(BLANKS) !== '';
    if (this.#at === this.#text.length || this.#isNext(')')) return undefined;
    if (this.#skip('+')) return 'all';
    if (this.#skip('|')) return 'any';
    if (isSpaced && /[a-zA-Z(]/.test(this.#next())) return 'all';
    throw this.#expected("',', '+', '|', ')' or the end; other texts stand in double quotes");
  }

  #element(depth: number): Filter {
    this.#take(BLANKS);
    if (!this.#isNext('(')) return this.#comparison();
    if (depth === MAX_DEPTH) throw this.#expected(`within ${MAX_DEPTH} open parentheses`);
    this.#at++;
    const filter = this.#scope(depth + 1);
    if (!this.#skip(')')) throw this.#expected("')'");
    return filter;
  }

  #comparison(): Comparison {
    const { name: field, isMap = false } = this.#field();
    this.#take(BLANKS);
    const name = this.#isNext('[') ? this.#name(field, isMap) : null;
    this.#take(BLANKS);
    const isNegated = this.#skip('!');
    const operator = OPERATORS.find(([symbol]) => this.#skip(symbol))?.[1];
    if (operator === undefined) throw this.#expected(OPERATOR);
    const typed = this.#values();
    const values = [...new Set(isMap && name === null ? typed.flatMap(spellings) : typed)];
    return { kind: 'comparison', field, name, operator, isNegated, values };
  }

  #field(): FilterField {
    const start = this.#at;
    const word = this.#take(LETTERS);
    if (word === '') throw this.#expected(ELEMENT);
    const field = this.#fields.get(word.toLowerCase());
    if (field) return field;
    const names = this.#grammar.fields.map(({ name }) => name);
    const near = nearest(word, names);
    const suggestion = near === undefined ? '' : `; did you mean ${near}?`;
    throw this.#expected(`one of ${names.join(', ')}${suggestion}`, start, word);
  }

  #name(field: string, isMap: boolean): string {
    const maps = this.#grammar.fields.filter((each) => each.isMap).map((each) => each.name);
    if (!isMap) throw this.#expected(`an operator: only ${maps.join(' and ')} take a name`);
    const open = this.#at++;
    this.#take(BLANKS);
    const name = this.#isNext('"') ? this.#quoted() : this.#upTo(']').trim();
    this.#take(BLANKS);
    if (!this.#skip(']')) throw this.#expected(`']' after the name in ${field}[…]`);
    if (name === '') throw this.#expected(`a name in brackets, such as ${field}[app]`, open, '[]');
    return storeName(name);
  }

  #values(): string[] {
    const values: string[] = [];
    for (;;) {
      this.#take(BLANKS);
      values.push(this.#value());
      const end = this.#at;
      this.#take(BLANKS);
      if (this.#skip(',')) continue;
      this.#at = end; // a blank may be the joint
      return values;
    }
  }

  #value(): string {
    if (this.#isNext('"')) return this.#quoted();
    const word = this.#take(WORD);
    if (word === '') throw this.#expected(VALUE);
    return word;
  }

  #quoted(): string {
    const open = this.#at;
    let value = '';
    let from = open + 1;
    for (let at = from; at < this.#text.length; at++) {
      const char = this.#text[at];
      if (char === '"') {
        this.#at = at + 1;
        return value + this.#text.slice(from, at);
      }
      if (char === '\\' && /["\\]/.test(this.#text[at + 1] ?? '')) {
        value += this.#text.slice(from, at);
        from = ++at;
      }
    }
    const opened = this.#place(open);
    throw this.#expected(
      `'"', which would close the one at character ${opened}`,
      this.#text.length,
    );
  }

  #upTo(char: string): string {
    const found = this.#text.indexOf(char, this.#at);
    const end = found < 0 ? this.#text.length : found;
    const taken = this.#text.slice(this.#at, end);
    this.#at = end;
    return taken;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += taken.length;
    return taken;
  }

  #next(): string {
    return this.#text.charAt(this.#at);
  }

  #isNext(char: string): boolean {
    return this.#next() === char;
  }

  #skip(symbol: string): boolean {
    const isThere = this.#text.startsWith(symbol, this.#at);
    if (isThere) this.#at += symbol.length;
    return isThere;
  }

  /** The error for a joint that differs from those before it. */
  #mixed(start: number, kind: 'all' | 'any'): Fault {
    this.#at = start;
    const isBlank = this.#take(BLANKS) !== '' && !/[+|]/.test(this.#next());
    const accepted = `'${kind === 'all' ? '+' : '|'}' as before it: parentheses tell what belongs together`;
    return this.#expected(accepted, this.#at, isBlank ? 'a blank for +' : undefined);
  }

  #place(at: number): number {
    return Array.from(this.#text.slice(0, at)).length + 1;
  }

  #expected(accepted: string, at: number = this.#at, found?: string): Fault {
    const { parameter, example } = this.#grammar;
    const point = this.#text.codePointAt(at);
    const char = point === undefined ? 'the end' : `'${String.fromCodePoint(point)}'`;
    const shown = found === undefined ? char : `'${found.slice(0, 80)}'`;
    return new Fault(
      `parameter '${parameter}': ${shown} at character ${this.#place(at)} is not ${accepted}`,
      { parameter, hint: `for example ${parameter}=${example}` },
    );
  }
}

/** A name as stores have it, and as kube-state-metrics writes it. */
function spellings(name: string): readonly string[] {
  const stored = storeName(name);
  return [stored, snakeName(stored)];
}
