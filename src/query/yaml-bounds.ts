/**
 * How much YAML of callers may be. It is counted between lexer and parser, by the lexer that is used
 * and on the parser's own stack, so that no second reading of the text can differ. Both need no stack
 * of calls; what does, and takes many times the text, has only what was let through.
 */
import { spendHeap } from '../columnar/index.ts';
import { DEPTH_MAX, tooDeep, tooMany } from './json-bounds.ts';

/** Words, signs, blanks and line ends of one document: 1.6 MB of a list, 150 MB of objects. */
const DOCUMENT_LEXEMES_MAX = 500_000;
/** And of a body: 10 MB of short documents have 3.4 million. */
const BODY_LEXEMES_MAX = 4_000_000;
/** Each is compared with all before it. */
const MAP_KEYS_MAX = 4096;
/** Each is looked up among all anchors, and what it stands for is counted anew. */
const ALIASES_MAX = 100;
const ANCHORS_MAX = 1000;
/** Blanks, comments and properties before a value: some of them are looked through for each. */
const LEXEMES_BEFORE_VALUE_MAX = 5000;
/**
 * Steps of the pattern that folds texts of several lines: indentation of the last line × its length.
 */
const FOLDING_STEPS_MAX = 500_000_000;
/** Of the parser's objects, a lexeme. */
const LEXEME_BYTES = 250;

/** What of the parser's tokens is looked at. */
interface Token {
  readonly type: string;
  readonly items?: readonly unknown[];
  readonly start?: { readonly source?: string } | readonly unknown[];
}

/** Of a document: the lexer's own mark, or the sign. */
const STARTS: ReadonlySet<string> = new Set(['\u0002', '---']);

export class YamlMeter {
  /** Of this body, those of earlier parts included. */
  lexemes: number;
  readonly #what: string;
  #ofDocument = 0;
  #aliases = 0;
  #anchors = 0;
  #beforeValue = 0;
  #foldingSteps = 0;

  /** @param what is read, for messages @param lexemes of it that were read before */
  constructor(what: string, lexemes: number) {
    this.#what = what;
    this.lexemes = lexemes;
  }

  /**
   * @param lexeme that the parser was given
   * @param stack of the parser, since then
   * @throws {Fault} 400 or 413 naming the limit that is exceeded
   * @throws {HeapFull}
   */
  take(lexeme: string, stack: readonly Token[]): void {
    if (stack.length <= 1 && STARTS.has(lexeme)) {
      this.#ofDocument = this.#aliases = this.#anchors = 0;
    }
    this.#count(1);
    // The document, and a value.
    if (stack.length > DEPTH_MAX + 2) throw tooDeep(this.#what);
    const top = stack.at(-1);
    if (top !== undefined) this.#checkKeys(top);
    const first = lexeme.charAt(0);
    if (first === '&') this.#limit(++this.#anchors, ANCHORS_MAX, 'anchors in a document');
    if (first === '*') this.#limit(++this.#aliases, ALIASES_MAX, 'aliases in a document');
    this.#beforeValue = /^[ \t\r\n#&!?:-]/.test(lexeme) ? this.#beforeValue + 1 : 0;
    this.#limit(this.#beforeValue, LEXEMES_BEFORE_VALUE_MAX, 'blanks and comments before a value');
    if (lexeme.length > 1 && lexeme.includes('\n')) this.#takeLines(lexeme);
  }

  #count(lexemes: number): void {
    this.lexemes += lexemes;
    this.#ofDocument += lexemes;
    this.#limit(this.#ofDocument, DOCUMENT_LEXEMES_MAX, 'words and signs in a document');
    this.#limit(this.lexemes, BODY_LEXEMES_MAX, 'words and signs');
    spendHeap(lexemes * LEXEME_BYTES);
  }

  #checkKeys({ type, items, start }: Token): void {
    if (items === undefined || items.length <= MAP_KEYS_MAX) return;
    const isFlowMap = start !== undefined && 'source' in start && start.source === '{';
    if (type === 'block-map' || isFlowMap)
      throw tooMany(this.#what, `${MAP_KEYS_MAX} keys in a map`);
  }

  /** A text of several lines. */
  #takeLines(lexeme: string): void {
    let [lines, last] = [0, 0];
    for (let at = lexeme.indexOf('\n'); at >= 0; at = lexeme.indexOf('\n', at + 1)) {
      lines++;
      last = at + 1;
    }
    this.#count(lines);
    let indent = 0;
    while (lexeme[last + indent] === ' ' || lexeme[last + indent] === '\t') indent++;
    this.#foldingSteps += indent * (lexeme.length - last);
    const told = 'characters in the last lines of indented texts';
    this.#limit(this.#foldingSteps, FOLDING_STEPS_MAX, told);
  }

  #limit(count: number, most: number, counted: string): void {
    if (count > most) throw tooMany(this.#what, `${most} ${counted}`);
  }
}
