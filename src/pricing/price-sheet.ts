/**
 * A table of prices with a line a node type and a column a region:
 *
 *   # USD an hour, on demand, …; collected 2026-11-22
 *   name,vCPUs,RAMGiB,GPUs,gpuModel,gpuMemoryGiB,sharedCore,architecture,eu-west-1,us-east-1
 *   c8a.large,2,4,0,,,,x86,~.0965,.0862
 *
 * A blank: the type is not sold there, or its price is not known. `~`: a price that was computed of a
 * sibling. The region `*` is every region. A line is read when its type is first asked for.
 */
import { Fault } from '../query/index.ts';

/** A line as its cells; `line` counts from 1. */
export interface SheetRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface PriceCell {
  readonly usdPerHour: number;
  readonly isComputed: boolean;
}

export class PriceSheet {
  /** When its prices were collected, such as `2026-11-22`. */
  readonly collected: string;
  readonly regions: readonly string[];
  readonly #path: string;
  readonly #lines: readonly string[];
  readonly #columns: readonly string[];
  readonly #placeOfRegion: ReadonlyMap<string, number>;
  /** Places of lines by their types' names in lower case. */
  readonly #placeOf: ReadonlyMap<string, number>;

  /**
   * @param sizes how many columns stand between the name and the first region
   * @throws {Fault} naming the file and the line that no sheet begins with
   */
  constructor(text: string, path: string, sizes: number) {
    const lines = text.split('\n');
    const collected = /collected (\d{4}-\d\d-\d\d)$/.exec(lines[0] ?? '')?.[1];
    const columns = (lines[1] ?? '').split(',');
    if (collected === undefined || columns[0] !== 'name') {
      throw new Fault(`${path}, line ${collected === undefined ? 1 : 2}: not a sheet of prices`);
    }
    this.collected = collected;
    this.#path = path;
    this.#lines = lines;
    this.#columns = columns;
    this.regions = columns.slice(sizes + 1);
    this.#placeOfRegion = new Map(this.regions.map((name, i) => [name, sizes + 1 + i]));
    this.#placeOf = new Map(
      lines.flatMap((line, place) =>
        place < 2 || line === '' ? [] : [[(line.split(',', 1)[0] ?? '').toLowerCase(), place]],
      ),
    );
  }

  /** In lower case. */
  names(): IterableIterator<string> {
    return this.#placeOf.keys();
  }

  /** @param name in any case: Azure's own tools do not agree on theirs */
  row(name: string): SheetRow | undefined {
    const place = this.#placeOf.get(name.toLowerCase());
    if (place === undefined) return undefined;
    return { line: place + 1, cells: this.#lines[place]?.split(',') ?? [] };
  }

  /**
   * @returns undefined where the row has no price in the region
   * @throws {Fault} naming the file, line and column of a price that is none
   */
  priceIn({ line, cells }: SheetRow, region: string): PriceCell | undefined {
    const place = this.#placeOfRegion.get(region) ?? this.#placeOfRegion.get('*');
    const cell = place === undefined ? '' : (cells[place] ?? '');
    if (place === undefined || cell === '') return undefined;
    const isComputed = cell.startsWith('~');
    return {
      usdPerHour: this.number({ line, cells }, place, isComputed ? cell.slice(1) : cell),
      isComputed,
    };
  }

  /** @throws {Fault} naming the file, line and column of a text that is no number */
  number({ line, cells }: SheetRow, place: number, text: string = cells[place] ?? ''): number {
    const value = /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/.test(text) ? Number(text) : NaN;
    if (value < Infinity) return value;
    const column = this.#columns[place] ?? String(place + 1);
    throw new Fault(
      `${this.#path}, line ${line}, column ${column}: '${cells[place] ?? ''}' is not a number, 0 or more`,
    );
  }
}
