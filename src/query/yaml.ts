/** YAML: the only file that knows the parser, which is loaded by the first who needs it. */
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';
import { Fault } from './fault.ts';
import { YamlMeter } from './yaml-bounds.ts';
import { placedMistake } from './yaml-mistake.ts';

function parser(): typeof yaml {
  return createRequire(import.meta.url)('yaml') as typeof yaml;
}

/** One document, objects as maps, every scalar as its text. @throws what the parser throws */
export function parseYamlTexts(text: string): unknown {
  return parser().parse(text, { schema: 'failsafe', mapAsMap: true, logLevel: 'error' });
}

/** Where a part of a text begins, and what was read of it before. */
export interface YamlPlace {
  /** In UTF-16 code units. */
  readonly offset: number;
  readonly lexemes: number;
}

export interface YamlPart {
  /** A document each. */
  readonly values: unknown[];
  /** Where the next part begins; null: that was the last. */
  readonly next: YamlPlace | null;
}

export const YAML_START: YamlPlace = { offset: 0, lexemes: 0 };

/** A part ends behind so much, with a document: half a second of work. */
const PART_LEXEMES = 200_000;

const SILENT = { logLevel: 'silent' } as const;

/**
 * Documents of a text, as JSON would have them; JSON is YAML too. Empty documents are left out. They
 * are read one after the other: a document as the parser has it is forty times its text.
 * @throws {Fault} naming line and column, or the limit that the text exceeds
 */
export function parseYamlPart(
  text: string,
  place: YamlPlace,
  what: string,
  example: string,
): YamlPart {
  const { Composer, Lexer, Parser } = parser();
  const composer = new Composer(SILENT);
  const tree = new Parser();
  const meter = new YamlMeter(what, place.lexemes);
  const values: unknown[] = [];
  let next: YamlPlace | null = null;
  let hasDirectives = false;
  const tokens = function* (): Generator<yaml.CST.Token> {
    for (const lexeme of new Lexer().lex(text.slice(place.offset))) {
      for (const token of tree.next(lexeme)) {
        hasDirectives ||= token.type === 'directive';
        yield token;
        if (token.type !== 'document' || lexeme !== '---' || hasDirectives) continue;
        if (meter.lexemes - place.lexemes < PART_LEXEMES) continue;
        next = { offset: place.offset + tree.offset, lexemes: meter.lexemes };
        return;
      }
      meter.take(lexeme, tree.stack);
    }
    yield* tree.end();
  };
  return withoutStacks(() => {
    for (const document of composer.compose(tokens())) {
      const [error] = document.errors;
      if (error) {
        const mistake = placedMistake(text, error, place.offset);
        throw new Fault(`${what} is no YAML: ${mistake}`, { hint: example, cause: error });
      }
      const value = asJson(document, what, example);
      if (value !== null) values.push(value);
    }
    return { values, next };
  });
}

/** Of a document full of mistakes each is an error. */
function withoutStacks<Result>(work: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Aliases are followed, but not without end. */
function asJson(document: yaml.Document, what: string, example: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${what} is no YAML: ${reason}`, { hint: example, cause });
  }
}
