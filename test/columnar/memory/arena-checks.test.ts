/** Misuse of the arena: stale addresses are always refused, stray writes are found in checked memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  GENERATION,
  GENERATION_MAX,
  PAGE_BYTES,
  POISONED_BYTES,
} from '../../../src/columnar/memory/arena-memory.ts';
import { isAddress } from '../../../src/columnar/memory/arena.ts';
import { STATICS_BYTES } from '../../../src/columnar/faces/checked-kernels.ts';
import {
  Arena,
  ArenaFull,
  compileKernels,
  createMemory,
  instantiateKernels,
  Owners,
  type Owner,
} from '../../../src/columnar/index.ts';

const MIB = 2 ** 20;
const POISON = 0xdbdbdbdb;

function opened(isChecked: boolean): { arena: Arena; owners: Owners; owner: Owner; other: Owner } {
  const arena = new Arena(createMemory(8 * MIB, isChecked));
  const owners = new Owners(arena);
  return { arena, owners, owner: owners.take(), other: owners.take() };
}

function caught(work: () => void): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

for (const isChecked of [false, true]) {
  const how = isChecked ? 'checked' : 'unchecked';

  test(`a full arena tells what one run could still have in ${how} memory`, () => {
    for (const runs of [0, 1, 7, 20]) {
      const { arena, owner, other } = opened(isChecked);
      for (let i = 0; i < runs; i++) arena.allocate(PAGE_BYTES * (1 + (i % 3)), owner);
      const error = caught(() => arena.allocate(8 * MIB, other));
      assert.ok(error instanceof ArenaFull && error.freeBytes > 0);
      assert.match(error.message, new RegExp(`${8 * MIB} bytes wanted, ${error.freeBytes} free`));
      assert.throws(() => arena.allocate(error.freeBytes + 1, other), ArenaFull);
      arena.allocate(error.freeBytes, other);
      const none = caught(() => arena.allocate(1, other));
      assert.ok(none instanceof ArenaFull && none.freeBytes === 0);
    }
  });

  test(`a view by the address of a freed run is refused in ${how} memory`, () => {
    const { arena, owner, other } = opened(isChecked);
    const address = arena.allocate(PAGE_BYTES, owner);
    arena.free(address, PAGE_BYTES);
    assert.throws(() => arena.u8(address, 1), /BUG: 1 bytes at \d+ are not of run/);
    const next = arena.allocate(PAGE_BYTES, other);
    assert.equal(arena.placeOf(next), address >>> 0, 'the pages are used again');
    const views: (() => unknown)[] = [
      () => arena.u8(address, 1),
      () => arena.u16(address, 1),
      () => arena.u32(address + 8, 1),
      () => arena.i32(address, 1),
      () => arena.f64(address, 1),
      () => arena.text(address, 1),
      () => arena.ownerOf(address),
      () => arena.checkPointer(address),
      () => arena.free(address, PAGE_BYTES),
      () => arena.shrink(address, PAGE_BYTES, 1),
    ];
    for (const view of views) assert.throws(view, /BUG: .* are not of run/);
    assert.equal(arena.u8(next, 1).length, 1);
  });

  test(`a view beyond the end of its run is refused in ${how} memory`, () => {
    const { arena, owner } = opened(isChecked);
    const address = arena.allocate(2 * PAGE_BYTES, owner);
    arena.allocate(PAGE_BYTES, owner);
    assert.equal(arena.u8(address, 2 * PAGE_BYTES).length, 2 * PAGE_BYTES);
    assert.throws(() => arena.u8(address, 2 * PAGE_BYTES + 1), /BUG: .* are not of run/);
    assert.throws(() => arena.f64(address + 2 * PAGE_BYTES - 8, 2), /BUG: .* are not of run/);
    assert.doesNotThrow(() => arena.checkPointer(address + 2 * PAGE_BYTES));
  });

  test(`a second free, or one with another length, is refused in ${how} memory`, () => {
    const { arena, owner } = opened(isChecked);
    const address = arena.allocate(2 * PAGE_BYTES, owner);
    const place = arena.placeOf(address);
    assert.throws(() => arena.free(address, 3 * PAGE_BYTES), /BUG: /);
    arena.free(place, 2 * PAGE_BYTES);
    assert.throws(() => arena.free(address, 2 * PAGE_BYTES), /BUG: /);
    assert.throws(() => arena.free(place, 2 * PAGE_BYTES), /BUG: /);
    assert.equal(arena.usedBytes, 0);
  });

  test(`nothing is allocated for an owner that was given back in ${how} memory`, () => {
    const { arena, owners, owner } = opened(isChecked);
    owners.free(owner);
    assert.throws(() => arena.allocate(1, owner), /BUG: owner \d+ was given back/);
    assert.equal(arena.usedBytes, 0);
  });
}

test('a shrunk run loses its end, and its start stays', () => {
  for (const isChecked of [false, true]) {
    const { arena, owner } = opened(isChecked);
    const address = arena.allocate(4 * PAGE_BYTES, owner);
    arena.shrink(address, 4 * PAGE_BYTES, PAGE_BYTES + 1);
    assert.equal(arena.usedBytes, 2 * PAGE_BYTES);
    assert.equal(arena.u8(address, 2 * PAGE_BYTES).length, 2 * PAGE_BYTES);
    assert.throws(() => arena.u8(address, 2 * PAGE_BYTES + 1), /BUG: /);
    arena.free(address, 2 * PAGE_BYTES);
    assert.equal(arena.usedBytes, 0);
  }
});

test('freed pages of checked memory begin with poison, and those of others do not', () => {
  for (const isChecked of [false, true]) {
    const { arena, owners, owner } = opened(isChecked);
    const address = arena.allocate(2 * PAGE_BYTES, owner);
    const pages = [0, PAGE_BYTES].map((at) =>
      new Uint32Array(arena.buffer, arena.placeOf(address) + at, POISONED_BYTES / 4).fill(7),
    );
    owners.free(owner);
    const expected = isChecked ? POISON : 7;
    for (const words of pages)
      assert.ok(
        words.every((word) => word === expected),
        `${words[0]}`,
      );
  }
});

test('a byte written behind a run is reported with the owner when the run is freed', () => {
  for (const at of [0, 1, 16, 1023]) {
    const { arena, owners, owner } = opened(true);
    const address = arena.allocate(PAGE_BYTES, owner);
    Buffer.from(arena.buffer)[arena.placeOf(address) + PAGE_BYTES + at] = 0;
    const expected = new RegExp(`BUG: byte ${at} behind a run of owner ${owner} was written`);
    assert.throws(() => arena.free(address, PAGE_BYTES), expected);
    assert.throws(() => owners.free(owner), expected);
  }
});

test('generations wrap around and always give valid addresses', () => {
  const { arena, owner } = opened(false);
  new Int32Array(arena.buffer)[GENERATION] = GENERATION_MAX - 2;
  const addresses = Array.from({ length: 5 }, () => arena.allocate(1, owner));
  assert.equal(new Set(addresses.map((each) => Math.floor(each / 2 ** 32))).size, 5);
  assert.ok(addresses.every(isAddress));
  for (const address of addresses) assert.equal(arena.u8(address, 1).length, 1);
});

const NUMBERS: readonly (readonly [what: string, value: unknown, isAddress: boolean])[] = [
  ['a place', 1_048_576, false],
  ['a place at the end of 4 GiB', 2 ** 32 - 1, false],
  ['now in ms', 1_795_000_000_000, false],
  ['the last instant of the year 9999 in ms', 253_402_300_799_999, false],
  ['a fraction', 2 ** 50 + 0.5, false],
  ['infinity', Infinity, false],
  ['not a number', NaN, false],
  ['a text', '281474976710656', false],
  ['the first address', 2 ** 48, true],
  ['the last address', 2 ** 53 - 1, true],
];

for (const [what, value, expected] of NUMBERS) {
  test(`${what} is ${expected ? 'an address' : 'no address'}`, () => {
    assert.equal(isAddress(value), expected);
  });
}

test("the kernels' tables end before the bound of checked memory", () => {
  const memory = createMemory(8 * MIB, false);
  const bytes = new Uint8Array(memory.buffer, 0, 256 * 1024).fill(0xaa);
  instantiateKernels(compileKernels(), memory);
  const end = bytes.findLastIndex((byte) => byte !== 0xaa) + 1;
  assert.ok(end > 0 && end <= STATICS_BYTES, `${end} bytes`);
});
