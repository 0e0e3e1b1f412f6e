/**
 * Bodies as they must be, and the comparison of what comes with them: by the CRC-32 of blocks, so
 * that the harness holds no body in memory; the bytes lie in a file, for blocks that differ.
 */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

const BLOCK_BYTES = 64 << 10;
/** Bytes shown before and after the first that differs. */
const CONTEXT_BYTES = 60;

export interface Body {
  readonly bytes: number;
  /** CRC-32 of each block of 64 KiB. */
  readonly crcs: readonly number[];
  readonly path: string;
}

/** Writes a body to a file, and sums it. */
export class BodyWriter {
  readonly #path: string;
  readonly #file: number;
  readonly #crcs: number[] = [];
  readonly #block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;

  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#file = openSync(this.#path, 'w');
  }

  add(part: Uint8Array): void {
    for (let at = 0; at < part.length;) {
      const taken = Math.min(BLOCK_BYTES - this.#filled, part.length - at);
      this.#block.set(part.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK_BYTES) this.#flush();
    }
  }

  end(): Body {
    const bytes = this.#crcs.length * BLOCK_BYTES + this.#filled;
    if (this.#filled > 0) this.#flush();
    closeSync(this.#file);
    return { bytes, crcs: this.#crcs, path: this.#path };
  }

  #flush(): void {
    const block = this.#block.subarray(0, this.#filled);
    this.#crcs.push(crc32(block));
    writeSync(this.#file, block);
    this.#filled = 0;
  }
}

/** Where a body differs from what it must be. */
export interface Difference {
  readonly offset: number;
  readonly came: string;
  readonly expected: string;
}

/** Takes a body part by part. */
export class Comparison {
  readonly #body: Body;
  readonly #block: Buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;
  #blocks = 0;
  #difference: Difference | undefined;

  constructor(body: Body) {
    this.#body = body;
  }

  get bytes(): number {
    return this.#blocks * BLOCK_BYTES + this.#filled;
  }

  /** The first, as far as blocks were complete. */
  get difference(): Difference | undefined {
    return this.#difference;
  }

  add(part: Uint8Array): void {
    for (let at = 0; at < part.length;) {
      const taken = Math.min(BLOCK_BYTES - this.#filled, part.length - at);
      this.#block.set(part.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK_BYTES) this.#check();
    }
  }

  /** @param isWhole the body ended as it should, and must not be a part of what is expected */
  end(isWhole: boolean): Difference | undefined {
    const bytes = this.bytes;
    this.#look();
    if (this.#difference !== undefined || !isWhole || bytes === this.#body.bytes) {
      return this.#difference;
    }
    const expected = shown(this.#expected(bytes, CONTEXT_BYTES), 0);
    return { offset: bytes, came: `the end, after ${bytes} bytes`, expected };
  }

  #check(): void {
    const isEqual = crc32(this.#block) === this.#body.crcs[this.#blocks];
    if (!isEqual) this.#look();
    this.#blocks++;
    this.#filled = 0;
  }

  /** Byte by byte, in the block that is being filled. */
  #look(): void {
    if (this.#difference !== undefined || this.#filled === 0) return;
    const from = this.#blocks * BLOCK_BYTES;
    const came = this.#block.subarray(0, this.#filled);
    const expected = this.#expected(from, this.#filled);
    if (came.equals(expected)) return;
    let at = 0;
    while (at < expected.length && came[at] === expected[at]) at++;
    this.#difference = {
      offset: from + at,
      came: shown(came, at),
      expected: at < expected.length ? shown(expected, at) : 'the end',
    };
  }

  #expected(from: number, bytes: number): Buffer {
    const file = openSync(this.#body.path, 'r');
    const buffer = Buffer.alloc(bytes);
    const read = readSync(file, buffer, 0, bytes, from);
    closeSync(file);
    return buffer.subarray(0, read);
  }
}

function shown(block: Buffer, at: number): string {
  const before = block.subarray(Math.max(0, at - CONTEXT_BYTES), at).toString('latin1');
  const after = block.subarray(at, at + CONTEXT_BYTES).toString('latin1');
  return `${JSON.stringify(before)} > ${JSON.stringify(after)}`;
}
