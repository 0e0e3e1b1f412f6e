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
  const { parseAllDocuments } = parser();
  const documents = [parseAllDocuments(text, { logLevel: 'silent' })].flat();
  return documents
    .filter((one) => !('empty' in one))
    .map((document) => {
      const [error] = document.errors;
      if (error === undefined) return asJson(document, what, example);
      throw new Fault(`${what} is no YAML: ${error.message}`, { hint: example, cause: error });
    })
    .filter((value) => value !== null);
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
