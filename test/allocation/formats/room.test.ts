/** Work that finds no room in the arena: what is kept goes, others are waited for, and what never fits is refused. */
import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { Room } from '../../../src/allocation/index.ts';
import { refuseSet, type Waiting } from '../../../src/allocation/formats/room.ts';
import { Slots, SLOT_LEAST_BYTES } from '../../../src/allocation/formats/slots.ts';
import { Arena, ArenaFull, Owners, type Owner } from '../../../src/columnar/index.ts';
import { dirtyMemory } from '../../support/references/dirty-memory.ts';

const MIB = 2 ** 20;
const never = new AbortController().signal;
const alive = setInterval(() => undefined, 1000);
after(() => clearInterval(alive));

let arena: Arena;
let owners: Owners;
let running: Set<Owner>;
let room: Room;

beforeEach(() => {
  arena = new Arena(dirtyMemory(17 * MIB, false));
  owners = new Owners(arena);
  running = new Set();
  room = new Room({ arena, owners, running });
});

const waiting = (signal: AbortSignal = never): Waiting => ({
  phase: 'before',
  signal,
  refuse: refuseSet(arena),
});
const taking = (bytes: number, signal?: AbortSignal): [Owner, Promise<number>] => {
  const owner = owners.take();
  const take = (): Promise<number> => Promise.resolve().then(() => arena.allocate(bytes, owner));
  return [owner, room.use(owner, waiting(signal), take)];
};

test('what is kept only to be quick goes first, and only where there is no room', async () => {
  const kept = owners.take();
  let cleared = 0;
  room.canClear(() => {
    owners.clear(kept);
    cleared++;
  });
  arena.allocate(10 * MIB, kept);
  await taking(4 * MIB)[1];
  assert.equal(cleared, 0);
  await taking(8 * MIB)[1];
  assert.equal(cleared, 1);
});

test('others are waited for, and what was made of half a try is gone meanwhile', async () => {
  const [first, made] = taking(12 * MIB);
  await made;
  running.add(first);
  const second = owners.take();
  let tries = 0;
  const making = room.use(second, waiting(), async () => {
    tries++;
    arena.allocate(2 * MIB, second);
    await Promise.resolve();
    return arena.allocate(10 * MIB, second);
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(arena.bytesOf(second), 0, 'who waits holds nothing');
  owners.free(first);
  running.delete(first);
  assert.ok((await making) > 0);
  assert.ok(tries > 1, `${tries} tries`);
});

test('what does not fit though nobody else is at work is refused with 422, and says how much there is', async () => {
  const [owner, made] = taking(17 * MIB);
  await assert.rejects(made, {
    name: 'Fault',
    status: 422,
    message: 'this needs more than the 16 MiB that the server has for columns',
  });
  assert.equal(arena.bytesOf(owner), 0);
});

test('others that do not end in time are a 503 that says when to ask again', { timeout: 30_000 }, async () => {
  const [first, made] = taking(12 * MIB);
  await made;
  running.add(first);
  await assert.rejects(taking(8 * MIB)[1], { name: 'Unavailable', status: 503, retryAfterSeconds: 1 });
}); // prettier-ignore

test('what is free in pieces is waited for: it is not too large for an empty server', async () => {
  const holders = Array.from({ length: 15 }, () => owners.take());
  for (const holder of holders) arena.allocate(MIB, holder);
  for (const holder of holders)
    if (holder !== holders[3] && holder !== holders[9]) owners.clear(holder);
  const [, made] = taking(12 * MIB);
  setTimeout(() => holders.forEach((holder) => owners.free(holder)), 300);
  assert.ok((await made) > 0);
});

test('what lay between its own pieces only is too large, and told at once', async () => {
  const kept = owners.take();
  arena.allocate(MIB, kept);
  const owner = owners.take();
  const begunMs = performance.now();
  const made = room.use(owner, waiting(), async () => {
    const pieces = Array.from({ length: 14 }, () => arena.allocate(MIB, owner));
    for (const [i, piece] of pieces.entries()) if (i % 2 === 0) arena.free(piece, MIB);
    await Promise.resolve();
    return arena.allocate(4 * MIB, owner);
  });
  await assert.rejects(made, { name: 'Fault', status: 422 });
  assert.ok(performance.now() - begunMs < 5000, 'it waited for others');
});

test('caches that its own tries fill are not taken for the memory of others', async () => {
  const kept = owners.take();
  room.canClear(() => owners.clear(kept));
  const owner = owners.take();
  const begunMs = performance.now();
  const made = room.use(owner, waiting(), async () => {
    arena.allocate(10 * MIB, kept);
    await Promise.resolve();
    return arena.allocate(12 * MIB, owner);
  });
  await assert.rejects(made, { name: 'Fault', status: 422 });
  assert.ok(performance.now() - begunMs < 5000, 'it waited for others');
});

test('a computation does not wait for itself', async () => {
  const self = owners.take();
  running.add(self);
  arena.allocate(12 * MIB, self);
  const owner = owners.take();
  const own = { ...waiting(), self, refuse: (error: ArenaFull) => error };
  const made = room.use(owner, own, () =>
    Promise.resolve().then(() => arena.allocate(8 * MIB, owner)),
  );
  await assert.rejects(made, ArenaFull);
});

test('who leaves waits no longer', async () => {
  const [first, made] = taking(12 * MIB);
  await made;
  running.add(first);
  const abort = new AbortController();
  const [, second] = taking(8 * MIB, abort.signal);
  setTimeout(() => abort.abort(new Error('left')), 100);
  await assert.rejects(second, /left/);
});

test('a slot is as long as there is room for, and the least one is waited for', async () => {
  const slots = new Slots(arena, owners, 16 * MIB, room);
  const [filling] = taking(16 * MIB - 3 * SLOT_LEAST_BYTES);
  await new Promise(setImmediate);
  const small = await slots.take(MIB, never);
  assert.equal(small.bytes, SLOT_LEAST_BYTES);
  assert.equal(slots.takeAhead(MIB), undefined);
  const rest = await Promise.all([slots.take(1, never), slots.take(1, never)]);
  const late = slots.take(MIB, never);
  setTimeout(() => owners.free(filling), 100);
  assert.ok((await late).bytes >= SLOT_LEAST_BYTES);
  for (const slot of [small, ...rest]) slots.giveBack(slot);
});

test('what begins while a try is under way is waited for as well', async () => {
  const other = (): (() => void) => {
    const owner = owners.take();
    running.add(owner);
    arena.allocate(12 * MIB, owner);
    return () => {
      running.delete(owner);
      owners.free(owner);
    };
  };
  let end = other();
  let tries = 0;
  const own = owners.take();
  const making = room.use(own, waiting(), async () => {
    tries++;
    // The one before is gone when it is looked for, and the next has begun when this one allocates.
    if (tries === 2) end = other();
    await Promise.resolve();
    try {
      return arena.allocate(12 * MIB, own);
    } finally {
      if (tries === 1) end();
      if (tries === 2) setTimeout(end, 100);
    }
  });
  assert.ok((await making) > 0);
  assert.ok(tries >= 3, `${tries} tries`);
});
