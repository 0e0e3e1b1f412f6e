/**
 * Limits the size of callers' YAML. Lexemes are counted between the actual lexer and parser, on the
 * parser's own stack, so that no second reading of the text can differ. These two need no call stack;
 * later stages do, and take many times the text's memory, but they only get text within the limits.
 */
import { spendHeap } from '../../columnar/index.ts';
import { DEPTH_MAX, tooDeep, tooMany } from './json-bounds.ts';

/** Words, signs, blanks and line ends of one document: for a list 1.6 MB of text and 150 MB of objects. */
const DOCUMENT_LEXEMES_MAX = 500_000;
/** The same for a body: 10 MB of short documents have 3.4 million. */
const BODY_LEXEMES_MAX = 4_000_000;
/** Each key is compared with all keys before it. */
const MAP_KEYS_MAX = 4096;
/** Each alias is looked up among all anchors, and its value is counted again. */
const ALIASES_MAX = 100;
const ANCHORS_MAX = 1000;
/** Blanks, comments and properties before a value: the parser searches some of them for each one. */
const LEXEMES_BEFORE_VALUE_MAX = 5000;
/**
 * Steps of the parser's pattern that folds texts of several lines: indentation of the last line × its
 * length.
 */
const FOLDING_STEPS_MAX = 500_000_000;
/** Heap that the parser takes for a lexeme. */
const LEXEME_BYTES = 250;

/** The part of the parser's tokens that is read here. */
interface Token {
  readonly type: string;
  readonly items?: readonly unknown[];
  readonly start?: { readonly source?: string } | readonly unknown[];
}

/** Lexemes that start a document: the lexer's own mark, or `---`. */
const STARTS: ReadonlySet<string> = new Set(['\u0002', '---']);

export class YamlMeter {
  /** Lexemes of this body, those of earlier parts included. */
  lexemes: number;
  readonly #what: string;
  #ofDocument = 0;
  #aliases = 0;
  #anchors = 0;
  #beforeValue = 0;
  #foldingSteps = 0;

  /** @param what the text is, for messages @param lexemes of earlier parts */
  constructor(what: string, lexemes: number) {
    this.#what = what;
    this.lexemes = lexemes;
  }

  /**
   * @param lexeme given to the parser
   * @param stack of the parser afterwards
   * @throws {Fault} 400 or 413 naming the limit that is exceeded
   * @throws {HeapFull}
   */
  take(lexeme: string, stack: readonly Token[]): void {
    if (stack.length <= 1 && STARTS.has(lexeme)) {
      this.#ofDocument = this.#aliases = this.#anchors = 0;
    }
    this.#count(1);
    // The stack also has the document and a value.
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
    const what = 'characters in the last lines of indented texts';
    this.#limit(this.#foldingSteps, FOLDING_STEPS_MAX, what);
  }

  #limit(count: number, most: number, counted: string): void {
    if (count > most) throw tooMany(this.#what, `${most} ${counted}`);
  }
}
