/** YAML: the only file that knows the parser, which is loaded by the first who needs it. */
import { createRequire } from 'node:module';
import type * as yaml from 'yaml';
import { Fault } from './fault.ts';

function parser(): typeof yaml {
  return createRequire(import.meta.url)('yaml') as typeof yaml;
}

/** One document, objects as maps, every scalar as its text. @throws what the parser throws */
export function parseYamlTexts(text: string): unknown {
  return parser().parse(text, { schema: 'failsafe', mapAsMap: true, logLevel: 'error' });
}

/**
 * All documents of a text, as JSON would have them; JSON is YAML too. Empty documents are left out.
 * @throws {Fault} naming line and column
 */
export function parseYamlDocuments(text: string, what: string, example: string): unknown[] {
  const { Composer, Parser } = parser();
  const values: unknown[] = [];
  // One after the other: a document as the parser has it is forty times its text.
  for (const document of new Composer(SILENT).compose(new Parser().parse(text))) {
    if (document.errors.length > 0) throw noYaml(text, what, example);
    const value = asJson(document, what, example);
    if (value !== null) values.push(value);
  }
  return values;
}

const SILENT = { logLevel: 'silent' } as const;

/** All are parsed again, as only so a mistake is told with its line. */
function noYaml(text: string, what: string, example: string): Fault {
  const documents = [parser().parseAllDocuments(text, SILENT)].flat();
  const [error] = documents.flatMap(({ errors }) => errors);
  return new Fault(`${what} is no YAML: ${error?.message}`, { hint: example, cause: error });
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
