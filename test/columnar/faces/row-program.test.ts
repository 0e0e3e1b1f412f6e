/** Rows written by the kernel, against the same rows joined from strings, in slots of any size. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  compileKernels,
  compileRow,
  ownersOfProgram,
  createEngine,
  DictionaryBuilder,
  writeRows,
  type Dictionary,
  type RowPart,
} from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const OWNER = 1;
const TASK = 2;
/** Another owner, with memory that a program addresses. */
const OTHER = 3;
const PAGE_BYTES = 65536;
const engine = createEngine(compileKernels(), dirtyMemory(8 << 20), OWNER);
const { arena } = engine;

/** A part, and its expected text for a row. */
interface Case {
  readonly part: RowPart;
  readonly reference: (row: number, before: string) => string;
}

type Random = () => number;

/** Writes all rows; a slot too small for one row grows. Nothing around the slot may change. */
function write(program: number, rows: number, slotBytes: number): string {
  let bytes = slotBytes;
  let text = '';
  for (let row = 0; row < rows;) {
    const address = arena.allocate(bytes + 64, TASK) + 32;
    const around = arena.u8(address - 32, bytes + 64).fill(7);
    const chunk = writeRows(engine, program, { from: row, to: rows }, { address, bytes });
    assert.ok(chunk.bytes <= bytes, 'within the slot');
    const margins = [...around.subarray(0, 32), ...around.subarray(-32)];
    assert.ok(
      margins.every((byte) => byte === 7),
      'nothing outside of the slot is touched',
    );
    text += arena.text(address, chunk.bytes).toString();
    arena.free(address - 32, bytes + 64);
    if (chunk.bytes === 0) bytes *= 2;
    row = chunk.nextRow;
  }
  return text;
}

function numbers(random: Random, rows: number): { address: number; values: Float64Array } {
  const address = arena.allocate(8 * rows, TASK);
  const values = arena.f64(address, rows);
  const odd = [0, -0, 1, -2.5e-9, 1e21, NaN, Infinity];
  const some = [...odd, 0.1, 1 / 3, -12.5, 123_456_789.123, -9.999999999999999e-6, 1e14 / 3];
  // Each second value equals the one before.
  for (let row = 0; row < rows; row++) {
    const isRun = row > 0 && random() < 0.5;
    values[row] = (isRun ? values[row - 1] : some[Math.floor(random() * some.length)]) ?? 0;
  }
  return { address, values };
}

function codes(random: Random, rows: number, size: number): { address: number; of: Uint32Array } {
  const address = arena.allocate(4 * rows, TASK);
  const of = arena.u32(address, rows);
  for (let row = 0; row < rows; row++) of[row] = Math.floor(random() * size);
  return { address, of };
}

const shortest = (value: number, missing: string): string =>
  Number.isFinite(value) ? String(value) : missing;

function fixed(value: number): string {
  if (!Number.isFinite(value)) return '';
  return value.toFixed(2).replace(/^-(0\.00)$/, '$1');
}

/** Each kind of part, with its own columns. */
function anyCase(random: Random, rows: number, texts: Dictionary): Case {
  const literal = ',"a key é":'.slice(0, Math.floor(random() * 12));
  const column = numbers(random, rows);
  const coded = codes(random, rows, texts.size);
  const words = ['one', '', 'three'];
  const word = codes(random, rows, words.length);
  const text = (row: number): string => texts.text(coded.of[row] ?? 0);
  const value = (row: number): number => column.values[row] ?? 0;
  const kinds: Case[] = [
    { part: literal, reference: () => literal },
    {
      part: { kind: 'number', column: column.address, missing: 'null' },
      reference: (row) => shortest(value(row), 'null'),
    },
    {
      part: { kind: 'number', column: column.address, decimals: 2, missing: '' },
      reference: (row) => fixed(value(row)),
    },
    { part: { kind: 'text', codes: coded.address, texts: texts.at }, reference: text },
    {
      part: { kind: 'text', codes: coded.address, texts: texts.at, missing: 'none' },
      reference: (row) => text(row) || 'none',
    },
    {
      part: { kind: 'member', literal: ',"m":', codes: coded.address, texts: texts.at },
      reference: (row, before) => {
        const key = before.endsWith('{') ? '"m":' : ',"m":';
        return text(row) === '' ? '' : `${key}${text(row)}`;
      },
    },
    { part: '{', reference: () => '{' },
    {
      part: { kind: 'word', codes: word.address, words },
      reference: (row) => words[word.of[row] ?? 0] ?? '',
    },
    {
      part: { kind: 'moment', column: column.address },
      reference: (row) =>
        Number.isFinite(value(row)) && Math.abs(value(row)) < 8.64e15
          ? new Date(value(row)).toISOString().replace('.000Z', 'Z')
          : '',
    },
  ];
  return kinds[Math.floor(random() * kinds.length)] ?? { part: '', reference: () => '' };
}

function join(cases: readonly Case[], rows: number, separator: string): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    let line = '';
    for (const { reference } of cases) line += reference(row, line);
    return line;
  });
  return lines.join(separator);
}

test('any parts in any slots give the same text as joined strings', () => {
  const shape = fc.record({
    random: fc.noShrink(fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }))),
    parts: fc.integer({ min: 1, max: 12 }),
    rows: fc.integer({ min: 0, max: 20 }),
    separator: fc.constantFrom('', ',', ' and then '),
    texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 6 }),
    slotBytes: fc.integer({ min: 1, max: 3000 }),
  });
  const property = fc.property(shape, ({ random, parts, rows, separator, texts, slotBytes }) => {
    const next = (): number => random.next().value as number;
    const builder = new DictionaryBuilder();
    for (const text of texts) builder.code(text);
    const dictionary = builder.store(arena, TASK);
    const cases = Array.from({ length: parts }, () => anyCase(next, rows, dictionary));
    // Without it a row may be empty, which looks like a row that does not fit.
    const all = [...cases, { part: '\n', reference: () => '\n' }];
    const program = compileRow(
      arena,
      TASK,
      rows,
      all.map(({ part }) => part),
      separator,
    );
    assert.equal(write(program, rows, slotBytes), join(all, rows, separator));
    arena.release(TASK);
  });
  fc.assert(property, { numRuns: 400 });
});

test('every slot of 1 to 2,000 bytes gives the same bytes', () => {
  const column = numbers(() => 0.95, 40);
  const parts: RowPart[] = ['"é":', { kind: 'number', column: column.address, missing: '' }, '\n'];
  const program = compileRow(arena, TASK, 40, parts);
  const whole = write(program, 40, 4000);
  for (let bytes = 1; bytes <= 2000; bytes++) assert.equal(write(program, 40, bytes), whole);
  arena.release(TASK);
});

test('texts at the very end of the memory are read, but nothing beyond', () => {
  const text = 'the end';
  // Compiled first, so that the rest ends at the end of the memory, but for a canary.
  const place = arena.allocate(4 * PAGE_BYTES, TASK);
  const leftBytes = arena.capacityBytes - arena.usedBytes - 8 * PAGE_BYTES;
  arena.free(place, 4 * PAGE_BYTES);
  const last = arena.allocate(leftBytes, TASK);
  const bytes = last + leftBytes - text.length;
  arena.u8(bytes, text.length).set(Buffer.from(text));
  arena.u32(last, 3).set([0, text.length, 0]);
  const texts = { offsets: last, bytes, size: 1, length: text.length };
  const program = compileRow(arena, TASK, 1, [{ kind: 'text', codes: last + 8, texts }, '\n']);
  assert.equal(write(program, 1, 200), 'the end\n');
  arena.release(TASK);
});

/** A program of one number and one text for each row, with their addresses. */
function small(rows: number): { program: number; column: number; texts: number; text: number } {
  const { address: column } = numbers(() => 0.3, rows);
  const builder = new DictionaryBuilder();
  const codes = arena.allocateZeroed(4 * rows, TASK);
  arena.u32(codes, rows).fill(builder.code('some text'));
  const { at, address } = builder.store(arena, OTHER);
  const parts: RowPart[] = [
    { kind: 'number', column, missing: '' },
    { kind: 'text', codes, texts: at },
    '\n',
  ];
  return {
    program: compileRow(arena, TASK, rows, parts),
    column,
    texts: address,
    text: at.offsets,
  };
}

test('a program lists the owners of the memory that it addresses', () => {
  const { program } = small(10);
  assert.deepEqual(ownersOfProgram(arena, program), [OTHER]);
  arena.release(TASK);
  arena.release(OTHER);
});

test('no row is written once memory that the program addresses was freed', () => {
  for (const isTaken of [false, true]) {
    for (const gone of ['column', 'texts', 'program', 'slot'] as const) {
      const made = small(100);
      const slot = { address: arena.allocate(PAGE_BYTES, TASK), bytes: PAGE_BYTES };
      const place = arena.placeOf(slot.address);
      arena.u8(slot.address, PAGE_BYTES).fill(7);
      const freed = gone === 'slot' ? slot.address : made[gone];
      arena.free(freed, 1);
      if (isTaken) arena.allocate(1, OTHER);
      const write = (): unknown => writeRows(engine, made.program, { from: 0, to: 100 }, slot);
      assert.throws(write, /BUG: .* are not of run/, gone);
      const bytes = new Uint8Array(arena.buffer, place, PAGE_BYTES);
      if (gone !== 'slot')
        assert.ok(
          bytes.every((byte) => byte === 7),
          'nothing was written',
        );
      arena.release(TASK);
      arena.release(OTHER);
    }
  }
});

test('rows that the program was not compiled for are refused', () => {
  const { program } = small(100);
  const slot = { address: arena.allocate(PAGE_BYTES, TASK), bytes: PAGE_BYTES };
  assert.throws(() => writeRows(engine, program, { from: 0, to: 101 }, slot), /BUG: rows to 101/);
  arena.release(TASK);
  arena.release(OTHER);
});

test('a text with another length or code than the program was compiled for is never written', () => {
  // Lengths near 2^32 must not overflow: all memory behind the slot would be overwritten.
  const damages: [what: string, damage: (made: ReturnType<typeof small>) => void][] = [
    ['an end before the start', ({ text }) => arena.u32(text, 3).set([0, 9, 3])],
    ['a length near 2^32', ({ text }) => arena.u32(text, 3).set([0, 10, 2 ** 32 - 8])],
    ['an end beyond all texts', ({ text }) => arena.u32(text, 3).set([0, 0, 10])],
    ['a start near 2^32', ({ text }) => arena.u32(text, 3).set([0, 2 ** 32 - 1, 9])],
  ];
  for (const [what, damage] of damages) {
    const made = small(10);
    damage(made);
    const room = arena.allocate(3 * PAGE_BYTES, TASK);
    const around = arena.u8(room, 3 * PAGE_BYTES).fill(7);
    const slot = { address: room + PAGE_BYTES, bytes: PAGE_BYTES };
    const write = (): unknown => writeRows(engine, made.program, { from: 0, to: 10 }, slot);
    assert.throws(write, /BUG: rows 0 to 10 came to/, what);
    const margins = [around.subarray(0, PAGE_BYTES), around.subarray(2 * PAGE_BYTES)];
    assert.ok(
      margins.every((bytes) => bytes.every((byte) => byte === 7)),
      what,
    );
    arena.release(TASK);
    arena.release(OTHER);
  }
});
