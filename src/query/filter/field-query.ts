/** The parameter `field`, which selects the values to list. */
import { storeName } from './aggregate.ts';
import { refuse } from '../fault.ts';
import type { FilterField } from './filter-parse.ts';

export interface FieldQuery {
  readonly field: string;
  /** A name in a map, in the spelling of `storeName`, to list its values; null: the field itself. */
  readonly name: string | null;
}

/** A description of what `readField` accepts. */
export function fieldAccepted(fields: readonly FilterField[]): string {
  const names = fields.map(({ name }) => name);
  return `a field: ${[...names, ...mapsOf(fields).map((name) => `${name}:<name>`)].join(', ')}`;
}

/**
 * `namespace`, `label` for its names, `label:app` or `label[app]` for values; in any case.
 * @throws {Fault} naming `field`
 */
export function readField(text: string, fields: readonly FilterField[]): FieldQuery {
  const [, word = '', colon, bracket] =
    /^\s*(\w+)\s*(?::\s*(\S+)|\[\s*([^\s\]]+)\s*\])?\s*$/.exec(text) ?? [];
  const field = fields.find(({ name, aliases = [] }) =>
    [name, ...aliases].some((each) => each.toLowerCase() === word.toLowerCase()),
  );
  const name = colon ?? bracket;
  if (field === undefined || (name !== undefined && field.isMap !== true)) {
    const names = fields.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
    throw refuse('field', text, fieldAccepted(fields), 'label:app', names);
  }
  return { field: field.name, name: name === undefined ? null : storeName(name) };
}

function mapsOf(fields: readonly FilterField[]): string[] {
  return fields.filter(({ isMap }) => isMap === true).map(({ name }) => name);
}
