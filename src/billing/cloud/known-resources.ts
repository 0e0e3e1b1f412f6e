/** Which resources of a bill are told apart: a bill has many more than others know anything of. */
import { textColumn, type Table, type TextColumn } from '../../columnar/index.ts';
import { resourceKey } from '../../query/index.ts';

/** Column of the provider ids of known resources, '' for the others. */
export const KNOWN = 'knownResource';

/** @param known resources as `resourceKey` spells them; null: all */
export function withKnown(table: Table, known: ReadonlySet<string> | null): Table {
  const column = knownOf(textColumn(table, 'providerID'), known);
  return {
    rows: table.rows,
    text: (name) => (name === KNOWN ? column : table.text(name)),
    numbers: (name) => table.numbers(name),
  };
}

function knownOf({ codes, texts }: TextColumn, known: ReadonlySet<string> | null): TextColumn {
  if (known === null) return { codes, texts };
  const none = texts.size;
  const isKnown = Array.from({ length: none }, (_, code) =>
    known.has(resourceKey(texts.text(code))),
  );
  return {
    codes: codes.map((code) => (isKnown[code] === true ? code : none)),
    texts: { size: none + 1, text: (code) => (code === none ? '' : texts.text(code)) },
  };
}
