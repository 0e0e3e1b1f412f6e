/**
 * A reader of the series of a range selector's or a range query's JSON (workers/kernels/decode/matrix.ts), which
 * takes the bytes as they come: none of the result depends on how they are cut.
 *
 *   input    what the last piece left, which is not whole | a piece | slack
 *   labels   of the series at hand
 *   columns  its times, as many as there is room for | its values
 */
import type { Arena, Owner } from '../memory/arena.ts';
import type { KernelExports } from '../kernels.ts';
import { fillStruct, structAt, type Struct } from '../memory/struct.ts';
import {
  BAD_TEXT,
  COLUMNS_FULL,
  CROWDED,
  JSON_MORE,
  JSON_SLACK,
  LABELS_FULL,
  MATRIX_END,
  MATRIX_SERIES,
  NOT_PAIR,
  ODD_TIME,
  ODD_VALUE,
  TOO_DEEP,
} from './layout/constants.ts';
import { LABEL_VIEW, MATRIX_READER, WRITTEN_LABELS } from './layout/decode.ts';

/** One series. Views on the reader's own memory, of use only during the call that gets them. */
export interface MatrixSeries {
  /** As prompb writes them (repeated Label as field 1), in order of their names. */
  readonly labels: Uint8Array;
  /** As they came; of the same length. */
  readonly timesMs: Float64Array;
  readonly values: Float64Array;
  /** How many of the values are NaN or infinite. */
  readonly nonFinite: number;
}

/** What is made of what is read. */
export interface MatrixUse {
  readonly onSeries: (series: MatrixSeries) => void;
  /** Reads a time that the kernel cannot: a number of seconds. @throws when it is too great */
  readonly timeMs: (text: string) => number;
  /** Reads a value that the kernel cannot: a number, or a string without its quotes. @throws when it is none */
  readonly value: (text: string) => number;
}

/** The bytes are not such a result. */
export class DamagedMatrix extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'DamagedMatrix';
  }
}

const DAMAGES: Readonly<Record<number, string>> = {
  [BAD_TEXT]: 'a string has an unknown escape or a control character',
  [CROWDED]: 'a series has too many labels',
  [NOT_PAIR]: 'a sample is not a pair',
  [TOO_DEEP]: 'it has too many brackets in one another',
};

const INPUT_BYTES = 256 * 1024;
/** At least so much of the input is free for a piece. */
const PIECE_BYTES_MIN = 128 * 1024;
/** More is not waited for to become whole. */
const TOKEN_BYTES_MAX = 4 * 1024 * 1024;
const LABEL_BYTES = 64 * 1024;
const COLUMN_SAMPLES = 8 * 1024;

const LABELS_AT = MATRIX_READER.bytes;
const VIEW_AT = LABELS_AT + WRITTEN_LABELS.bytes;
const STATE_BYTES = VIEW_AT + LABEL_VIEW.bytes;

export class MatrixReader {
  readonly #arena: Arena;
  readonly #kernels: KernelExports;
  readonly #owner: Owner;
  readonly #use: MatrixUse;
  readonly #address: number;
  readonly #state: Struct<typeof MATRIX_READER>;
  readonly #written: Struct<typeof WRITTEN_LABELS>;
  #input: Uint8Array;
  #labels: Uint8Array;
  #times: Float64Array;
  #values: Float64Array;

  /** @param owner of its memory, which is to be given back when nothing is read any more */
  constructor(arena: Arena, kernels: KernelExports, owner: Owner, use: MatrixUse) {
    this.#arena = arena;
    this.#kernels = kernels;
    this.#owner = owner;
    this.#use = use;
    const state = arena.allocateZeroed(STATE_BYTES, owner);
    this.#address = state;
    this.#state = structAt(arena, state, MATRIX_READER);
    this.#written = structAt(arena, state + LABELS_AT, WRITTEN_LABELS);
    this.#state.labels = state + LABELS_AT;
    this.#written.view = state + VIEW_AT;
    this.#input = this.#take(INPUT_BYTES);
    this.#labels = this.#take(LABEL_BYTES);
    [this.#times, this.#values] = this.#takeColumns(COLUMN_SAMPLES);
    this.#state.at = this.#input.byteOffset;
    this.#state.end = this.#input.byteOffset;
    this.#showRooms();
  }

  /**
   * Reads on in `bytes` from `from` on, the first time from behind the array's opening bracket.
   * @returns where the array ends, behind its bracket; -1 when it goes on in what follows `bytes`
   * @throws {DamagedMatrix}, and what `use` throws
   * @throws {ArenaFull} when a series takes more than there is
   */
  push(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const piece = this.#place(bytes.subarray(at));
      if (this.#read()) {
        const end = at + this.#state.at - piece.byteOffset;
        this.#state.at = this.#state.end;
        return end;
      }
      if (this.#state.end - this.#state.at > TOKEN_BYTES_MAX)
        throw new DamagedMatrix(`a text is longer than ${TOKEN_BYTES_MAX} bytes`);
      at += piece.length;
    }
    return -1;
  }

  /** @returns whether the array is at its end; else all is read that is whole */
  #read(): boolean {
    for (;;) {
      const status = this.#kernels.readMatrix(this.#address);
      switch (status) {
        case MATRIX_SERIES:
          this.#use.onSeries(this.#series());
          break;
        case MATRIX_END:
          return true;
        case JSON_MORE:
          return false;
        case COLUMNS_FULL:
          this.#growColumns();
          break;
        case LABELS_FULL:
          this.#growLabels();
          break;
        case ODD_TIME:
          this.#state.oddTime = this.#use.timeMs(this.#token()) + 0; // no -0
          this.#state.oddTimeAt = this.#state.tokenFrom;
          break;
        case ODD_VALUE:
          this.#state.oddValue = this.#use.value(this.#token());
          this.#state.oddValueAt = this.#state.tokenFrom;
          break;
        default:
          throw new DamagedMatrix(DAMAGES[status] ?? this.#unexpected());
      }
    }
  }

  /** Copies as much of `bytes` as there is room for behind what is not whole. @returns the copy */
  #place(bytes: Uint8Array): Uint8Array {
    const state = this.#state;
    const rest = state.end - state.at;
    // Both sides aligned alike: V8 copies into shared memory byte by byte else.
    const start = 8 * Math.ceil(rest / 8) + (bytes.byteOffset % 8);
    const restAt = state.at - this.#input.byteOffset;
    if (this.#input.length - start - JSON_SLACK < PIECE_BYTES_MIN) this.#growInput(start - rest);
    else this.#input.copyWithin(start - rest, restAt, restAt + rest);
    const size = Math.min(bytes.length, this.#input.length - start - JSON_SLACK);
    const piece = this.#input.subarray(start, start + size);
    piece.set(size === bytes.length ? bytes : bytes.subarray(0, size));
    state.at = piece.byteOffset - rest;
    state.end = piece.byteOffset + size;
    state.oddTimeAt = 0;
    state.oddValueAt = 0;
    return piece;
  }

  #series(): MatrixSeries {
    const { samples, nonFinite } = this.#state;
    return {
      labels: this.#labels.subarray(0, this.#written.bytes),
      timesMs: this.#times.subarray(0, samples),
      values: this.#values.subarray(0, samples),
      nonFinite,
    };
  }

  #token(): string {
    const { tokenFrom, tokenTo } = this.#state;
    return this.#arena.text(tokenFrom, tokenTo - tokenFrom).toString('latin1');
  }

  #unexpected(): string {
    const byte = this.#arena.u8(this.#state.wrong, 1)[0] ?? 0;
    const shown = byte > 32 && byte < 127 ? `'${String.fromCharCode(byte)}'` : `byte ${byte}`;
    return `${shown} stands where it may not`;
  }

  #take(bytes: number): Uint8Array {
    return this.#arena.u8(this.#arena.allocate(bytes, this.#owner), bytes);
  }

  #takeColumns(samples: number): [Float64Array, Float64Array] {
    const { buffer, byteOffset } = this.#take(16 * samples);
    return [
      new Float64Array(buffer, byteOffset, samples),
      new Float64Array(buffer, byteOffset + 8 * samples, samples),
    ];
  }

  #free({ byteOffset }: Uint8Array | Float64Array, bytes: number): void {
    this.#arena.free(this.#arena.addressAt(byteOffset), bytes);
  }

  /** What is not whole goes to `to` in a larger one. */
  #growInput(to: number): void {
    const input = this.#input;
    const from = this.#state.at - input.byteOffset;
    this.#input = this.#take(2 * input.length);
    this.#input.set(input.subarray(from, this.#state.end - input.byteOffset), to);
    this.#free(input, input.length);
  }

  #growLabels(): void {
    const labels = this.#labels;
    this.#labels = this.#take(Math.max(2 * labels.length, this.#state.neededBytes));
    this.#labels.set(labels.subarray(0, this.#written.bytes));
    this.#free(labels, labels.length);
    this.#showRooms();
  }

  #growColumns(): void {
    const [times, values] = [this.#times, this.#values];
    [this.#times, this.#values] = this.#takeColumns(2 * times.length);
    this.#times.set(times);
    this.#values.set(values);
    this.#free(times, 16 * times.length);
    this.#showRooms();
  }

  #showRooms(): void {
    fillStruct(this.#arena, this.#address, MATRIX_READER, {
      times: this.#times.byteOffset,
      values: this.#values.byteOffset,
      room: this.#times.length,
    });
    this.#written.from = this.#labels.byteOffset;
    this.#written.room = this.#labels.length;
  }
}
