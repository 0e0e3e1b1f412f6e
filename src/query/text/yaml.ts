/** YAML: the only file that knows the parser, which is loaded at the first use. */
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';
import { Fault } from '../fault.ts';
import { YamlMeter } from './yaml-bounds.ts';
import { placedMistake } from './yaml-mistake.ts';

function parser(): typeof yaml {
  return createRequire(import.meta.url)('yaml') as typeof yaml;
}

/** One document, objects as maps, each scalar as its text. @throws what the parser throws */
export function parseYamlTexts(text: string): unknown {
  return parser().parse(text, { schema: 'failsafe', mapAsMap: true, logLevel: 'error' });
}

/** The start of a part of a text, and the number of lexemes read before it. */
export interface YamlPlace {
  /** In UTF-16 code units. */
  readonly offset: number;
  readonly lexemes: number;
}

export interface YamlPart {
  /** One value for each document. */
  readonly values: unknown[];
  /** The start of the next part; null: this was the last. */
  readonly next: YamlPlace | null;
}

export const YAML_START: YamlPlace = { offset: 0, lexemes: 0 };

/** A part ends with the first document after this many lexemes, so that a worker is not busy for long. */
const PART_LEXEMES = 200_000;

const SILENT = { logLevel: 'silent' } as const;

/**
 * Documents of a text, as JSON values; JSON is YAML too. Empty documents are left out. They are read one
 * after the other, as a parsed document takes forty times its text.
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

/** Makes errors without stacks, as a document may have many mistakes, each an error. */
function withoutStacks<Result>(work: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Aliases are resolved, up to a limit. */
function asJson(document: yaml.Document, what: string, example: string): unknown {
  try {
    return document.toJS() as unknown;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(`${what} is no YAML: ${reason}`, { hint: example, cause });
  }
}

/** A part of a text in YAML that knows its line, counted from 1. */
export interface PlacedYaml {
  readonly line: number;
  /** A scalar as its text, a list, a map by key; null for an empty value. */
  readonly value: string | null | readonly PlacedYaml[] | ReadonlyMap<string, PlacedYaml>;
}

/** One document, each scalar as its text. @throws {Fault} naming line and column */
export function parsePlacedYaml(text: string, what: string): PlacedYaml {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = parser();
  const lines = new LineCounter();
  const document = parseDocument(text, {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const [error] = document.errors;
  if (error) throw new Fault(`${what} is no YAML: ${placedMistake(text, error, 0)}`);
  const placed = (node: unknown, from: number): PlacedYaml => {
    if (isAlias(node)) throw new Fault(`${what}: line ${from} has an alias, which is not taken`);
    const offset = isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined;
    const line = offset === undefined ? from : lines.linePos(offset).line;
    if (isSeq(node)) return { line, value: node.items.map((item) => placed(item, line)) };
    if (isScalar(node)) return { line, value: typeof node.value === 'string' ? node.value : null };
    if (!isMap(node)) return { line, value: null };
    const entries = node.items.map(({ key, value }) => {
      const own = placed(key, line);
      const name = typeof own.value === 'string' ? own.value : '';
      const { value: inner } = placed(value, own.line);
      return [name, { line: own.line, value: inner }] as const;
    });
    return { line, value: new Map(entries) };
  };
  return placed(document.contents, 1);
}
