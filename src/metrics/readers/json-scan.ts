/**
 * Reads JSON as it arrives, holding at most one token: a tree of places selects the wanted values, all
 * others are skipped. Several documents may follow one another, as in JSON lines. A bare word such as
 * `+Inf` may be in the place of a number, as VictoriaMetrics writes it.
 */

/** The text is not JSON, is cut off, or does not have the wanted shape. */
export class BrokenJson extends Error {
  readonly kind: 'damaged' | 'cut off';
  constructor(kind: 'damaged' | 'cut off', detail: string) {
    super(detail);
    this.name = 'BrokenJson';
    this.kind = kind;
  }
}

/**
 * A place in a document. With `fields` or `anyField` it accepts an object, with `item` or `array` an array,
 * with `value` a string, number or word; all places accept null.
 */
export interface JsonPlace {
  readonly fields?: ReadonlyMap<string, JsonPlace>;
  /** The place of fields that are not in `fields`; without it they are skipped. */
  readonly anyField?: JsonPlace;
  readonly item?: JsonPlace;
  /**
   * Reads an array instead of the scan, bytes of it from `from` on, first from behind its bracket.
   * @returns where it ends, behind its bracket; -1 when it goes on in what follows `bytes`
   */
  readonly array?: (bytes: Uint8Array, from: number) => number;
  /** @param field its name, '' in an array */
  readonly enter?: (field: string) => void;
  readonly leave?: () => void;
  /** Not called for null unless the place accepts only values. */
  readonly value?: (token: JsonToken) => void;
}

/** The current token: its bytes [from, to), without quotes. Valid only during the call. */
export interface JsonToken {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
  /** `null`, not the string "null". */
  readonly isNull: boolean;
  /** The name of its field, '' in an array. */
  readonly field: string;
  /** The text, escapes resolved. @throws {BrokenJson} */
  text(): string;
}

/** A skipped value of any shape: `anyField` and `item` lead to itself. */
const ANYTHING: JsonPlace = {
  get anyField(): JsonPlace {
    return ANYTHING;
  },
  get item(): JsonPlace {
    return ANYTHING;
  },
  value: () => undefined,
};

const DEPTH_MAX = 64;
const TOKEN_BYTES_MAX = 4 * 1024 * 1024;
const NOTHING = new Uint8Array(0);

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92] as const;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125] as const;

/** The next expected token; states that also accept an end are odd. */
const [VALUE, VALUE_OR_END, KEY, KEY_OR_END, NEED_COLON, COMMA_OR_END] = [
  0, 1, 2, 3, 4, 5,
] as const;

/** 1 for bytes that end a number or word. */
const ENDS_WORD = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= 32 || '[]{},:"'.includes(String.fromCharCode(byte)) ? 1 : 0,
);

export class JsonScan implements JsonToken {
  bytes: Uint8Array = NOTHING;
  from = 0;
  to = 0;
  isNull = false;
  field = '';
  /** The number of complete documents. */
  documents = 0;
  #hasEscapes = false;
  /** Bytes already scanned of a string that is not complete. */
  #scanned = 0;
  #expect: number = VALUE;
  #rest: Uint8Array = NOTHING;
  readonly #root: JsonPlace;
  /** The open containers, from the outermost. */
  readonly #places: JsonPlace[] = [];
  readonly #arrays: boolean[] = [];
  /** The innermost open container. */
  #place: JsonPlace = ANYTHING;
  #isArray = false;
  /** What reads on until the innermost array is at its end. */
  #array: JsonPlace['array'];

  constructor(root: JsonPlace) {
    this.#root = root;
  }

  /** @throws {BrokenJson} */
  push(chunk: Uint8Array): void {
    this.bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = this.bytes.length;
    let at = 0;
    while (at < end) {
      const next = this.#array === undefined ? this.#read(at) : this.#readArray(at);
      if (next < 0) break;
      at = next;
    }
    this.#rest = this.bytes.subarray(at);
    if (this.#rest.length > TOKEN_BYTES_MAX)
      throw new BrokenJson('damaged', `a text is longer than ${TOKEN_BYTES_MAX} bytes`);
  }

  /** @throws {BrokenJson} when a document is not complete */
  finish(): void {
    if (this.#places.length > 0 || this.#rest.length > 0)
      throw new BrokenJson('cut off', `it ends inside of ${this.#places.length} brackets`);
  }

  text(): string {
    const { bytes, from, to } = this;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
    if (!this.#hasEscapes) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw new BrokenJson('damaged', 'a string has an unknown escape');
    }
  }

  /** @returns the place at which the next token may begin */
  #readArray(at: number): number {
    const end = this.#array?.(this.bytes, at) ?? -1;
    if (end < 0) return this.bytes.length;
    this.#array = undefined;
    this.#close(true);
    return end;
  }

  /** Reads the token at `at`. @returns the place after it, -1 when it is not complete */
  #read(at: number): number {
    const byte = this.bytes[at] ?? 0;
    switch (byte) {
      case 32:
      case 9:
      case 10:
      case 13:
        return at + 1;
      case COMMA:
        this.#need(COMMA_OR_END, byte);
        this.#expect = this.#isArray ? VALUE : KEY;
        return at + 1;
      case COLON:
        this.#need(NEED_COLON, byte);
        this.#expect = VALUE;
        return at + 1;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        this.#open(byte === OPEN_ARRAY);
        return at + 1;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        this.#close(byte === CLOSE_ARRAY);
        return at + 1;
      case QUOTE:
        this.#needPlaceForValue(byte);
        return this.#string(at + 1);
      default:
        this.#needPlaceForValue(byte);
        return this.#word(at);
    }
  }

  #need(expected: number, byte: number): void {
    if (this.#expect !== expected || (expected === COMMA_OR_END && this.#places.length === 0))
      throw unexpected(byte);
  }

  /** Refuses a page of HTML at once, instead of reading it as a very long word. */
  #needPlaceForValue(byte: number): void {
    if (this.#places.length === 0 && this.#root.value === undefined) throw unexpected(byte);
  }

  #open(isArray: boolean): void {
    const place = this.#placeOfValue(isArray ? OPEN_ARRAY : OPEN_OBJECT);
    const fits = isArray ? (place.array ?? place.item) : (place.fields ?? place.anyField);
    if (fits === undefined)
      throw new BrokenJson('damaged', `'${this.field}' is an ${isArray ? 'array' : 'object'}`);
    if (this.#places.length === DEPTH_MAX)
      throw new BrokenJson('damaged', `it is more than ${DEPTH_MAX} brackets deep`);
    this.#places.push(place);
    this.#arrays.push(isArray);
    this.#place = place;
    this.#isArray = isArray;
    this.#array = isArray ? place.array : undefined;
    const { field } = this;
    this.field = '';
    this.#expect = isArray ? VALUE_OR_END : KEY_OR_END;
    place.enter?.(field);
  }

  #close(isArray: boolean): void {
    const mayEnd = this.#expect === COMMA_OR_END || this.#expect % 2 === 1;
    if (!mayEnd || this.#places.length === 0 || isArray !== this.#isArray)
      throw unexpected(isArray ? CLOSE_ARRAY : CLOSE_OBJECT);
    const place = this.#place;
    this.#places.pop();
    this.#arrays.pop();
    this.#place = this.#places.at(-1) ?? ANYTHING;
    this.#isArray = this.#arrays.at(-1) ?? false;
    this.field = '';
    this.#afterValue();
    place.leave?.();
  }

  #afterValue(): void {
    const isDocument = this.#places.length === 0;
    this.#expect = isDocument ? VALUE : COMMA_OR_END;
    if (isDocument) this.documents++;
  }

  /** @param from behind the opening quote */
  #string(from: number): number {
    const { bytes } = this;
    if (this.#scanned === 0) this.#hasEscapes = false;
    let to = from + this.#scanned;
    for (; to < bytes.length; to++) {
      const byte = bytes[to];
      if (byte === BACKSLASH) {
        this.#hasEscapes = true;
        to++;
      } else if (byte === QUOTE) {
        this.from = from;
        this.to = to;
        this.isNull = false;
        this.#scanned = 0;
        if (this.#expect === KEY || this.#expect === KEY_OR_END) this.#key();
        else this.#scalar(QUOTE);
        return to + 1;
      }
    }
    this.#scanned = to - from;
    return -1;
  }

  #key(): void {
    this.field = this.text();
    this.#expect = NEED_COLON;
  }

  #word(from: number): number {
    const { bytes } = this;
    let to = from;
    while (to < bytes.length && ENDS_WORD[bytes[to] ?? 0] === 0) to++;
    if (to === bytes.length) return -1;
    if (to === from) throw unexpected(bytes[from] ?? 0);
    this.from = from;
    this.to = to;
    this.#hasEscapes = false;
    this.isNull = to - from === 4 && bytes[from] === 110 && this.text() === 'null';
    this.#scalar(bytes[from] ?? 0);
    return to;
  }

  #scalar(firstByte: number): void {
    const place = this.#placeOfValue(firstByte);
    if (place.value !== undefined) place.value(this);
    else if (!this.isNull)
      throw new BrokenJson('damaged', `'${this.field}' is not what it should be`);
    this.#afterValue();
  }

  #placeOfValue(byte: number): JsonPlace {
    if (this.#expect !== VALUE && this.#expect !== VALUE_OR_END) throw unexpected(byte);
    if (this.#places.length === 0) return this.#root;
    const place = this.#place;
    if (this.#isArray) return place.item ?? ANYTHING;
    return place.fields?.get(this.field) ?? place.anyField ?? ANYTHING;
  }
}

function unexpected(byte: number): BrokenJson {
  const shown = byte > 32 && byte < 127 ? `'${String.fromCharCode(byte)}'` : `byte ${byte}`;
  return new BrokenJson('damaged', `${shown} stands where it may not`);
}
