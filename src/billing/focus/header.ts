/** The header of a file: the places of the columns of FOCUS. */
import { Fault } from '../../query/index.ts';
import {
  MANDATORY,
  SOURCE_NUMBERS,
  SOURCE_TEXTS,
  type SourceName,
  type SourceNumber,
  type SourceText,
} from './columns.ts';
import type { ParquetHeader } from './parquet-columns.ts';
import { shown } from './source-columns.ts';

/** Places of columns, from 0. */
export interface Header {
  /** How many columns the file has, those included that are not read. */
  readonly columns: number;
  readonly texts: Readonly<Partial<Record<SourceText, number>>>;
  readonly numbers: Readonly<Partial<Record<SourceNumber, number>>>;
}

const COLUMNS_MAX = 1000;

/**
 * Names count in any case, with or without blanks and underscores around their words.
 * @param names as the file has them
 * @throws {Fault} naming the file and the columns that are missing or there twice
 */
export function readHeader(names: readonly string[], file: string): Header {
  if (names.length > COLUMNS_MAX) {
    throw new Fault(`${file}: ${names.length} columns, at most ${COLUMNS_MAX} are read`);
  }
  const places = new Map<string, number>();
  const canonical = new Map(
    [...SOURCE_TEXTS, ...SOURCE_NUMBERS].map((name) => [name.toLowerCase(), name]),
  );
  for (const [place, given] of names.entries()) {
    const name = canonical.get(given.replace(/[\s_]/g, '').toLowerCase());
    if (name === undefined) continue;
    if (places.has(name)) throw new Fault(`${file}, row 1: the column ${name} is there twice`);
    places.set(name, place);
  }
  refuseMissing(new Set(places.keys()), names, file);
  const of = <Name extends SourceName>(wanted: readonly Name[]): Partial<Record<Name, number>> =>
    Object.fromEntries(
      wanted.flatMap((name) => {
        const place = places.get(name);
        return place === undefined ? [] : [[name, place]];
      }),
    ) as Partial<Record<Name, number>>;
  return { columns: names.length, texts: of(SOURCE_TEXTS), numbers: of(SOURCE_NUMBERS) };
}

function refuseMissing(there: ReadonlySet<string>, names: readonly string[], file: string): void {
  const missing = MANDATORY.filter((either) => !either.some((name) => there.has(name)));
  if (missing.length === 0) return;
  const missingNames = missing.map((either) => either.join(' or ')).join(', ');
  const what = missing.length === 1 ? 'the mandatory column' : 'the mandatory columns';
  throw new Fault(`${file}, row 1: ${what} ${missingNames} of FOCUS is missing`, {
    hint:
      there.size === 0
        ? `no column of FOCUS is there; it begins with ${shown(names.join(','))}`
        : 'FOCUS 1.0 to 1.3 is read; let the export have all mandatory columns',
  });
}

/** The header's columns by the names that the file gives them. */
export function namedBy(names: readonly string[], { texts, numbers }: Header): ParquetHeader {
  const named = (places: Readonly<Record<string, number>>): Record<string, string> =>
    Object.fromEntries(Object.entries(places).map(([name, at]) => [name, names[at] ?? '']));
  return { texts: named(texts), numbers: named(numbers) };
}
