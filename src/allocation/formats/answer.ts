/** The answer, set by set and chunk by chunk: memory does not grow with its length. */
import type { NodeCosts } from '../../assets/node-costs.ts';
import type { Owner, OwnedMemory } from '../../columnar/index.ts';
import { caveatMembers } from '../../http/index.ts';
import type { Caveats } from '../../query/index.ts';
import type { Envelope } from './envelope.ts';
import type { Format } from '../params/format.ts';
import { Pace } from './pace.ts';
import {
  RowEncoder,
  type After,
  type RowChunksOptions,
  type RowCompute,
  type WrittenRows,
} from './row-chunks.ts';
import type { SetAt } from './set-at.ts';
import type { StreamEnds } from './view.ts';

export interface AnswerContext {
  readonly compute: RowCompute;
  readonly signal: AbortSignal;
  /** Called when another set is written. */
  readonly onSet?: (done: number, total: number) => void;
}

/** An answer: how it is written, and how each of its sets is made. */
export interface Answering {
  /** How many; each is one object of the answer's list. */
  readonly sets: number;
  readonly format: Format;
  /** JSON has the members that OpenCost's clients test; absent: no. */
  readonly isOpenCost?: boolean;
  /** Around the sets of a JSON answer. */
  readonly envelope: Envelope;
  /** Around the sets in other formats. */
  readonly ends: StreamEnds;
  /** Prepares the rows of a set to be written. */
  readonly open: (place: number) => Promise<WrittenRows>;
  /** Whether a set may be made while the one before it is written. */
  readonly opensAhead: boolean;
  /** Read when all sets are written. */
  readonly caveats: () => Caveats;
  /** A note that is no warning; absent or '': none. */
  readonly message?: string;
  /** USD of nodes by the source of their prices; absent or without any: not told. */
  readonly nodeCosts?: NodeCosts;
}

/** Each is valid until the next is taken, by the rules of `rowChunks`. */
export type AnswerChunks = AsyncGenerator<Uint8Array, void, boolean | undefined>;

/** Chunks of the answer in its format. */
export function writeAnswer(context: AnswerContext, answering: Answering): AnswerChunks {
  return answering.format.kind === 'json'
    ? jsonAnswer(context, answering)
    : streamAnswer(context, answering);
}

/** A set of one answer alone: made for an owner of its own, given back with it. */
export async function ownRows(
  { owners }: OwnedMemory,
  make: (owner: Owner) => Promise<SetAt>,
): Promise<WrittenRows> {
  let owner: Owner | undefined = owners.take();
  const release = (): void => {
    if (owner === undefined) return;
    owners.free(owner);
    owner = undefined;
  };
  try {
    const set = await make(owner);
    return { rows: set.rows, use: (work) => work(set), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The head, then the rows of each set. */
async function* streamAnswer(context: AnswerContext, answering: Answering): AnswerChunks {
  const { sets, ends } = answering;
  if (sets === 0) yield* text(await ends.head());
  yield* setsChunks(context, answering, {
    open: (place) => (place === 0 ? ends.head() : ''),
    close: () => '',
  });
  yield* text(ends.tail);
}

/** `{"code":200,"status"?,"data":…,"message"?,"nodeCosts"?,"warnings"?,"partial"?}` */
async function* jsonAnswer(context: AnswerContext, answering: Answering): AnswerChunks {
  const { sets, envelope, isOpenCost = false, message = '', nodeCosts = {} } = answering;
  const head = `{"code":200,${isOpenCost ? SUCCESS : ''}"data":${envelope.head}`;
  if (sets === 0) yield Buffer.from(head);
  yield* setsChunks(context, answering, {
    open: (place) => `${place === 0 ? head : ','}${envelope.open}`,
    close: (place) => envelope.close(place),
  });
  const note = message === '' ? '' : `,"message":${JSON.stringify(message)}`;
  const costs =
    Object.keys(nodeCosts).length === 0 ? '' : `,"nodeCosts":${JSON.stringify(nodeCosts)}`;
  yield Buffer.from(`${envelope.tail}${note}${costs}${caveatMembers(answering.caveats())}}`);
}

const SUCCESS = '"status":"success",';

/** Text around the rows of a set. */
interface Around {
  readonly open: (place: number) => string | Promise<string | Uint8Array>;
  readonly close: (place: number) => string;
}

/** Writes the opening only when the set is made: a failure before it breaks no answer. */
async function* setsChunks(
  context: AnswerContext,
  answering: Answering,
  { open, close }: Around,
): AnswerChunks {
  const ahead = new Ahead({ ...context, pace: new Pace() }, answering);
  try {
    for (let place = 0; place < answering.sets; place++) {
      const { rows, encoder } = await ahead.take(place);
      try {
        yield* text(await open(place));
        yield* encoder.chunks();
        yield* text(close(place));
      } finally {
        await encoder.close();
        rows.release();
      }
      context.onSet?.(place + 1, answering.sets);
    }
  } finally {
    await ahead.close();
  }
}

function* text(of: string | Uint8Array): Generator<Uint8Array> {
  if (of.length > 0) yield typeof of === 'string' ? Buffer.from(of) : of;
}

/** A set, and the encoder of its rows. */
interface Opened {
  readonly rows: WrittenRows;
  readonly encoder: RowEncoder;
}

/** The set after the one that is written. */
class Ahead implements After {
  readonly #options: Omit<RowChunksOptions, 'after'>;
  readonly #answering: Answering;
  #nextPlace = 0;
  #next: Promise<Opened> | undefined;
  #opened: Opened | undefined;

  constructor(options: Omit<RowChunksOptions, 'after'>, answering: Answering) {
    this.#options = options;
    this.#answering = answering;
  }

  begin(units: number): void {
    const { sets, opensAhead } = this.#answering;
    if (opensAhead && this.#nextPlace < sets) this.#next ??= this.#open();
    if (units > 0) this.#opened?.encoder.begin(units);
  }

  giveUp(): void {
    this.#opened?.encoder.dropAhead();
  }

  async take(place: number): Promise<Opened> {
    this.#nextPlace = place;
    // A set that did not fit beside the one before may fit now.
    const ahead = await this.#next?.catch(() => undefined);
    const opened = ahead ?? (await this.#open());
    this.#nextPlace = place + 1;
    this.#next = undefined;
    this.#opened = undefined;
    return opened;
  }

  async close(): Promise<void> {
    const [opened] = await Promise.allSettled([this.#next]);
    if (opened?.status !== 'fulfilled') return;
    await opened.value?.encoder.close();
    opened.value?.rows.release();
  }

  #open(): Promise<Opened> {
    const next = this.#answering.open(this.#nextPlace).then((rows) => {
      this.#opened = { rows, encoder: new RowEncoder({ ...this.#options, after: this }, rows) };
      return this.#opened;
    });
    // It is awaited in its turn.
    next.catch(() => undefined);
    return next;
  }
}
