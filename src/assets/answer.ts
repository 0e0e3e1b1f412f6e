/** The answer of assets: each set is made by a worker when it is asked for, and taken as it is. */
import { type Arena, type Owner, type Owners, withOwner } from '../columnar/index.ts';
import type { Admission, Pool } from '../pool/index.ts';
import { Unavailable, type Window } from '../query/index.ts';
import type { QueriedSets } from '../storage/index.ts';
import type { KeptAdjustments } from './kept-adjustments.ts';
import type { AssetFormat, AssetPlan } from './params.ts';
import { CSV_HEADER } from './shown.ts';
import type { Found, FoundGroup, FoundSet } from './stored.ts';
import type { AssetMember, AssetTasks, AssetsWritten, FoundDamage } from './tasks.ts';

/** What answers are made with. */
export interface Answering {
  readonly kept: KeptAdjustments;
  readonly sets: QueriedSets;
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AssetTasks>;
  /** Counts what is computed. */
  readonly admission: Admission;
  /** Counts answers that hold memory as long as they are read. */
  readonly large: Admission;
}

/** Shorter texts are copied, so that a reader that stands still holds nothing of the arena. */
const COPIED_BYTES = 64 * 1024;

/** What stands around and between the texts of the groups. */
const FRAMES: Readonly<Record<AssetFormat, Readonly<Record<'head' | 'open' | 'joint' | 'close' | 'foot', string>>>> = {
  json: { head: '{"code":200,"data":[', open: '{', joint: '},{', close: '}', foot: ']' },
  topline: { head: '{"code":200,"data":', open: '{', joint: '', close: '}', foot: '' },
  csv: { head: CSV_HEADER, open: '', joint: '', close: '', foot: '' },
}; // prettier-ignore

/** What is known of an answer that is being made. */
export class Told {
  readonly #found: Found;
  readonly #damages: Set<string> = new Set();
  #isHeadSent = false;

  constructor(found: Found) {
    this.#found = found;
  }

  get warnings(): readonly string[] {
    return [...new Set([...this.#found.warnings, ...this.#damages])];
  }

  get isPartial(): boolean {
    return this.#found.isPartial || this.#damages.size > 0;
  }

  get isDamaged(): boolean {
    return this.#found.isDamaged || this.#damages.size > 0;
  }

  /** Nothing more can be told: what is found damaged from here on ends the answer with an error. */
  headSent(): void {
    this.#isHeadSent = true;
  }

  /** @throws {Unavailable} when it cannot be told any more */
  add({ message }: FoundDamage): void {
    if (this.#damages.has(message)) return;
    if (this.#isHeadSent) {
      throw new Unavailable(`found while the answer was sent: ${message}`, {
        hint: 'ask again: the answer then tells what it lacks',
      });
    }
    this.#damages.add(message);
  }
}

/** `{"code":200,"data":[{…},…],"warnings"?,"partial"?}`, or lines; each chunk is valid until the next. */
export async function* writeAssets(
  options: Answering,
  plan: AssetPlan,
  { groups }: Found,
  told: Told,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { head, open, joint, close, foot } = FRAMES[plan.format];
  const place = new Place(options.large, signal);
  try {
    let before = head + open;
    for (const group of groups) {
      yield* writtenGroup(options, plan, group, { open: before, told, place, signal });
      before = joint;
    }
    const last = groups.length === 0 ? head + foot : close + foot;
    if (plan.format !== 'csv') yield Buffer.from(`${last}${tailOf(told)}}`);
  } finally {
    place.leave();
  }
}

function tailOf({ warnings, isPartial }: Told): string {
  const told = warnings.length === 0 ? '' : `,"warnings":${JSON.stringify(warnings)}`;
  return isPartial ? `${told},"partial":true` : told;
}

/** Among the large answers, once it is known to be one. */
class Place {
  readonly #large: Admission;
  readonly #signal: AbortSignal;
  #leave: (() => void) | undefined;

  constructor(large: Admission, signal: AbortSignal) {
    this.#large = large;
    this.#signal = signal;
  }

  get isTaken(): boolean {
    return this.#leave !== undefined;
  }

  async take(): Promise<void> {
    this.#leave = await this.#large.enter(this.#signal);
  }

  leave(): void {
    this.#leave?.();
  }
}

interface Around {
  /** Comes before the group's rows, once they are made. */
  readonly open: string;
  readonly told: Told;
  readonly place: Place;
  readonly signal: AbortSignal;
}

/** A group's memory is held only while its rows are taken. */
async function* writtenGroup(
  options: Answering,
  plan: AssetPlan,
  group: FoundGroup,
  { open, told, place, signal }: Around,
): AsyncGenerator<Uint8Array, void> {
  const { sets, arena, owners } = options;
  const members = await Promise.all(group.members.map((found) => memberOf(options, found, told)));
  const keeper = owners.take();
  try {
    const make = (): Promise<AssetsWritten> =>
      written(options, plan, { members, window: group.window, keeper }, signal);
    let made = await make();
    if (bytesOf(made) > COPIED_BYTES && !place.isTaken) {
      // Who waits holds nothing.
      arena.release(keeper);
      await place.take();
      made = await make();
    }
    await tell(sets, made.damages, told);
    const chunks = made.chunks.map(({ address, bytes }) => arena.u8(address, bytes));
    yield Buffer.from(open);
    if (place.isTaken) yield* chunks;
    else yield copied(chunks, () => arena.release(keeper));
  } finally {
    owners.free(keeper);
  }
}

function copied(chunks: readonly Uint8Array[], release: () => void): Buffer {
  const copy = Buffer.concat(chunks);
  release();
  return copy;
}

function bytesOf({ chunks }: AssetsWritten): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What is to be written, and whom its text belongs to. */
interface Wanted {
  readonly members: readonly AssetMember[];
  readonly window: Window;
  readonly keeper: Owner;
}

async function written(
  options: Answering,
  { query, paging, format }: AssetPlan,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<AssetsWritten> {
  const leave = await options.admission.enter(signal);
  return await withOwner(options, (owner) =>
    options.pool.run('assets', { ...wanted, query, paging, format, owner }, signal),
  ).finally(leave);
}

async function memberOf(
  options: Answering,
  { stored, lines }: FoundSet,
  told: Told,
): Promise<AssetMember> {
  if (lines.length === 0) return { stored, adjustments: [] };
  const { adjustments, damages } = await options.kept.open(stored, lines);
  await tell(options.sets, damages, told);
  return { stored, adjustments };
}

async function tell(sets: QueriedSets, damages: readonly FoundDamage[], told: Told): Promise<void> {
  // All of them go out of use, also where the first ends the answer.
  for (const { stored } of damages) await sets.setAside(stored);
  for (const damage of damages) told.add(damage);
}
