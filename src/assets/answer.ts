/** The answer of assets: a worker writes each set when its turn comes, and its text is sent as it is. */
import { type Owner, withOwner } from '../columnar/index.ts';
import { caveatMembers, inTurn } from '../http/index.ts';
import type { Admission, Compute } from '../pool/index.ts';
import { Unavailable, type Window } from '../query/index.ts';
import type { FoundDamage, QueriedSets } from '../storage/index.ts';
import type { CachedAdjustments } from './cached-adjustments.ts';
import type { AssetFormat, AssetPlan } from './params.ts';
import { CSV_HEADER } from './shown.ts';
import type { Found, FoundGroup, FoundSet } from './stored.ts';
import type { AdjustedSet, AssetTasks, AssetsWritten } from './tasks.ts';

/** Has work wait until the arena has room for it; what is only cached is dropped first. */
export interface Rooms {
  use<T>(owner: Owner, waiting: WaitingForRoom, work: () => Promise<T>): Promise<T>;
}

interface WaitingForRoom {
  /** An answer that has begun waits longer, as what was sent cannot be taken back. */
  readonly phase: 'before' | 'after';
  readonly signal: AbortSignal;
  readonly refuse: (error: unknown) => unknown;
}

/** The services that answers are made with. */
export interface Answering {
  readonly adjustments: CachedAdjustments;
  readonly sets: QueriedSets;
  readonly compute: Compute<AssetTasks> & { readonly room: Rooms };
  /** Limits how many sets are computed at once. */
  readonly admission: Admission;
  /** Limits how many answers hold memory while they are read. */
  readonly large: Admission;
}

/** Shorter texts are copied, so that a stalled reader holds nothing of the arena. */
const COPIED_BYTES = 64 * 1024;

/** Text around and between the groups. */
const FRAMES: Readonly<Record<AssetFormat, Readonly<Record<'head' | 'open' | 'joint' | 'close' | 'foot', string>>>> = {
  json: { head: '{"code":200,"data":[', open: '{', joint: '},{', close: '}', foot: ']' },
  map: { head: '{"code":200,"status":"success","data":', open: '{', joint: '', close: '}', foot: '' },
  topline: { head: '{"code":200,"data":', open: '{', joint: '', close: '}', foot: '' },
  totals: { head: '{"code":200,"data":', open: '{', joint: '', close: '}', foot: '' },
  graph: { head: '{"code":200,"data":[', open: '{', joint: '},{', close: '}', foot: ']' },
  csv: { head: CSV_HEADER, open: '', joint: '', close: '', foot: '' },
}; // prettier-ignore

/** Warnings of an answer that is being made. */
export class AnswerReport {
  readonly #found: Found;
  readonly #damages: Set<string> = new Set();
  #isHeadSent = false;

  constructor(found: Found) {
    this.#found = found;
  }

  /** What has been found so far, each warning once. */
  get found(): Found {
    const hasDamages = this.#damages.size > 0;
    return {
      ...this.#found,
      warnings: [...new Set([...this.#found.warnings, ...this.#damages])],
      isPartial: this.#found.isPartial || hasDamages,
      isDamaged: this.#found.isDamaged || hasDamages,
    };
  }

  get isHeadSent(): boolean {
    return this.#isHeadSent;
  }

  /** Warnings can no longer be added: damage found from here on ends the answer with an error. */
  headSent(): void {
    this.#isHeadSent = true;
  }

  /** @throws {Unavailable} once the head is sent */
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
  report: AnswerReport,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { head, open, joint, close, foot } = FRAMES[plan.format];
  const place = new Place(options.large, signal);
  try {
    let before = head + open;
    for (const group of groups) {
      yield* writtenGroup(options, plan, group, { open: before, report, place, signal });
      before = joint;
    }
    const last = groups.length === 0 ? head + foot : close + foot;
    if (plan.format !== 'csv') yield Buffer.from(`${last}${caveatMembers(report.found)}}`);
  } finally {
    place.leave();
  }
}

/** A place among the large answers, taken once an answer turns out to be large. */
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
  readonly report: AnswerReport;
  readonly place: Place;
  readonly signal: AbortSignal;
}

/** A group's memory is held only while its rows are taken. */
async function* writtenGroup(
  options: Answering,
  plan: AssetPlan,
  group: FoundGroup,
  { open, report, place, signal }: Around,
): AsyncGenerator<Uint8Array, void> {
  const { sets, compute } = options;
  const { arena, owners } = compute;
  const adjusted = await Promise.all(
    group.sets.map((found) => adjustedSet(options, found, report)),
  );
  const textOwner = owners.take();
  try {
    const phase = report.isHeadSent ? 'after' : 'before';
    const make = (): Promise<AssetsWritten> =>
      compute.room.use(textOwner, { phase, signal, refuse: (error) => error }, () =>
        written(options, plan, { sets: adjusted, window: group.window, textOwner }, signal),
      );
    let made = await make();
    if (bytesOf(made) > COPIED_BYTES && !place.isTaken) {
      // An answer that waits holds no memory.
      arena.release(textOwner);
      await place.take();
      made = await make();
    }
    await reportDamages(sets, made.damages, report);
    const chunks = made.chunks.map(({ address, bytes }) => arena.u8(address, bytes));
    yield Buffer.from(open);
    if (place.isTaken) yield* chunks;
    else yield copied(chunks, () => arena.release(textOwner));
  } finally {
    owners.free(textOwner);
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

/** A set to be written, and the owner of its text. */
interface Wanted {
  readonly sets: readonly AdjustedSet[];
  readonly window: Window;
  readonly textOwner: Owner;
}

async function written(
  { compute, admission }: Answering,
  { query, paging, format }: AssetPlan,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<AssetsWritten> {
  return await inTurn(admission, signal, () =>
    withOwner(compute, (owner) =>
      compute.pool.run('assets', { ...wanted, query, paging, format, owner }, signal),
    ),
  );
}

export async function adjustedSet(
  options: Pick<Answering, 'adjustments' | 'sets'>,
  found: FoundSet,
  report: AnswerReport,
): Promise<AdjustedSet> {
  const { stored, lines, recent } = found;
  if (lines.length === 0 && recent === null) return { stored, adjustments: [] };
  const { adjustments, damages } = await options.adjustments.open(found);
  await reportDamages(options.sets, damages, report);
  return { stored, adjustments };
}

export async function reportDamages(
  sets: QueriedSets,
  damages: readonly FoundDamage[],
  report: AnswerReport,
): Promise<void> {
  // All damaged sets are set aside first: reporting one may end the answer.
  for (const { stored } of damages) await sets.setAside(stored);
  for (const damage of damages) report.add(damage);
}
