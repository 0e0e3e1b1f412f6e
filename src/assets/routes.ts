/** GET /assets: what there was to pay for, in stored days. */
import { ArenaFull, type Arena, type Owners } from '../columnar/index.ts';
import { parseQuery, stream, type HttpReply, type HttpRequest, type Route } from '../http/index.ts';
import type { Admission, Pool } from '../pool/index.ts';
import { Unavailable, type Calendar, type Window } from '../query/index.ts';
import type { QueriedSets, StoredSet } from '../storage/index.ts';
import { KeptAdjustments } from './kept-adjustments.ts';
import { readAssetPlan, type AssetPlan } from './params.ts';
import { CSV_HEADER } from './shown.ts';
import { findSets, type Found, type FoundGroup } from './stored.ts';
import type { AssetMember, AssetTasks, FoundDamage } from './tasks.ts';

/** The cloud's bill. */
export interface AssetBill {
  /**
   * Sets of its lines, columns as LINE_COLUMNS; none: no bill tells of the window.
   * @throws {Unavailable} when one of them is known to be damaged
   */
  linesOf(window: Window): readonly StoredSet[];
}

export interface AssetRouteOptions {
  readonly bill: AssetBill;
  readonly sets: QueriedSets;
  readonly arena: Arena;
  readonly owners: Owners;
  readonly pool: Pool<AssetTasks>;
  readonly admission: Admission;
  readonly calendar: Calendar;
  readonly nowMs: () => number;
}

/** What answers are made with. */
interface Answering extends AssetRouteOptions {
  readonly kept: KeptAdjustments;
}

export function assetRoutes(given: AssetRouteOptions): Route[] {
  const options = { ...given, kept: new KeptAdjustments(given) };
  return [{ method: 'GET', path: '/assets', handle: (request) => handle(options, request) }];
}

async function handle(options: Answering, request: HttpRequest): Promise<HttpReply> {
  const plan = readAssetPlan(parseQuery(request.query), options.calendar, options.nowMs());
  const found = findSets(options.sets, plan, options.calendar);
  const chunks = answer(options, plan, found, request.signal);
  // What fails at once, such as a queue that is full, is told by the status.
  const first = await chunks.next();
  const { type, headers } = HEADS[plan.format](found);
  return stream(type, following(first, chunks), headers);
}

const HEADS: Readonly<Record<AssetPlan['format'], (found: Found) => Head>> = {
  json: () => ({ type: 'application/json', headers: {} }),
  csv: ({ warnings }) => ({
    type: 'text/csv; charset=utf-8',
    headers: {
      'content-disposition': 'attachment; filename="assets.csv"',
      ...(warnings.length > 0 ? { 'x-prorata-warnings': printable(warnings.join('; ')) } : {}),
    },
  }),
};

interface Head {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

function printable(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, '?');
}

async function* following(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  try {
    if (first.done !== true) yield first.value;
    yield* rest;
  } finally {
    await rest.return();
  }
}

/** `{"code":200,"data":[{…},…],"warnings"?}`, or lines; each chunk is valid until the next. */
async function* answer(
  options: Answering,
  plan: AssetPlan,
  { groups, warnings }: Found,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const told = new Set(warnings);
  const isJson = plan.format === 'json';
  const leave = await options.admission.enter(signal);
  try {
    let open = isJson ? '{"code":200,"data":[{' : CSV_HEADER;
    for (const group of groups) {
      yield* writtenGroup(options, plan, group, { open, told, signal });
      open = isJson ? '},{' : '';
    }
    const close = groups.length === 0 ? `${open.slice(0, -1)}]` : '}]';
    const tail = told.size === 0 ? '}' : `,"warnings":${JSON.stringify([...told])}}`;
    if (isJson) yield Buffer.from(close + tail);
  } finally {
    leave();
  }
}

interface Around {
  /** Comes before the group's rows, once they are made. */
  readonly open: string;
  readonly told: Set<string>;
  readonly signal: AbortSignal;
}

/** A group's memory is held only while its rows are taken. */
async function* writtenGroup(
  options: Answering,
  { query, paging, isAdjusted, format }: AssetPlan,
  { window, stored }: FoundGroup,
  { open, told, signal }: Around,
): AsyncGenerator<Uint8Array, void> {
  const { sets, arena, owners, pool } = options;
  const members = await Promise.all(
    stored.map((set) =>
      memberOf(options, set, isAdjusted ? linesOf(options, set, told) : [], told),
    ),
  );
  const owner = owners.take();
  try {
    const input = { members, window, query, paging, format, owner };
    const { chunks, damages } = await pool.run('assets', input, signal);
    await tell(sets, damages, told);
    yield Buffer.from(open);
    for (const { address, bytes } of chunks) yield arena.u8(address, bytes);
  } catch (error) {
    throw error instanceof ArenaFull ? crowdedOut(error) : error;
  } finally {
    arena.release(owner);
    owners.giveBack(owner);
  }
}

/** Lines of a bill of which a part is damaged would make everything cheaper: they are not used. */
function linesOf({ bill }: Answering, { key }: StoredSet, told: Set<string>): readonly StoredSet[] {
  try {
    return bill.linesOf(key);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    told.add(`${error.message}: nothing is adjusted by it`);
    return [];
  }
}

async function memberOf(
  { kept, sets }: Answering,
  stored: StoredSet,
  lines: readonly StoredSet[],
  told: Set<string>,
): Promise<AssetMember> {
  if (lines.length === 0) return { stored, adjustments: [] };
  const { adjustments, damages } = await kept.open(stored, lines);
  await tell(sets, damages, told);
  return { stored, adjustments };
}

async function tell(
  sets: QueriedSets,
  damages: readonly FoundDamage[],
  told: Set<string>,
): Promise<void> {
  for (const { stored, message } of damages) {
    told.add(message);
    await sets.setAside(stored);
  }
}

function crowdedOut(cause: ArenaFull): Unavailable {
  return new Unavailable(`cannot answer this now: ${cause.message}`, {
    hint: 'ask again, for fewer days or coarser groups, or give the server more memory',
    retryAfterSeconds: 1,
    cause,
  });
}
