/** POST /customCost: costs that others push, stored as a delivery of their source. */
import { createHash } from 'node:crypto';
import { readSource, type Bills } from '../deliveries/index.ts';
import { readWholeWindow } from '../charges/index.ts';
import { withOwner } from '../../columnar/index.ts';
import { windowOf } from '../../export/index.ts';
import { streamedBill } from '../focus/index.ts';
import {
  json,
  paramsOf,
  withWarnings,
  type HttpReply,
  type AdmittedRequest,
  type HttpRequest,
  type Route,
} from '../../http/index.ts';
import type { Compute } from '../../pool/index.ts';
import { type Clock, DAY_MS, Fault, type Window } from '../../query/index.ts';
import { mayPush, type TokenNow } from './push-guard.ts';
import type { ExternalTasks } from './tasks.ts';

export interface PushOptions {
  readonly bills: Pick<Bills, 'deliver' | 'sources'>;
  readonly token: TokenNow;
  readonly compute: Compute<ExternalTasks>;
  readonly clock: Clock;
}

interface Push {
  readonly source: string;
  /** Whole days: the billing period. */
  readonly window: Window;
  /** Warnings of parameters. */
  readonly ignored: readonly string[];
}

const WINDOW = ['the days that the costs are of', 'yesterday'] as const;
const DAYS_MAX = 366;

export function pushRoute(options: PushOptions): Route {
  // Each push replaces the result of the one before it.
  let last: Promise<unknown> = Promise.resolve();
  return {
    method: 'POST',
    path: '/customCost',
    changes: 'costs.push',
    needs: 'editor',
    scoping: { refused: 'what is pushed is charged to everybody' },
    // The token in a header keeps pages of other sites out.
    body: 'any',
    handle(request) {
      const { caller } = request;
      if (!caller.isSignedIn && !mayPush(request.header('authorization'), options.token))
        return unknownCaller();
      const push = readPush(request, options.clock);
      const stored = last.then(() => store(options, push, request));
      last = stored.catch(() => undefined);
      return stored;
    },
  };
}

function unknownCaller(): HttpReply {
  const message = 'costs are pushed with a token: the one that came is not ours';
  const hint = 'send Authorization: Bearer TOKEN';
  const reply = json({ code: 401, message, data: null, hint }, 401);
  return { ...reply, headers: { ...reply.headers, 'www-authenticate': 'Bearer' } };
}

function readPush(request: AdmittedRequest, { calendar, nowMs }: Clock): Push {
  const params = paramsOf(request);
  const source = readSource(params.required('source', 'a name of who pushes', 'datadog'), 'source');
  const window = readWholeWindow(params, calendar, nowMs(), WINDOW);
  if (window.endMs - window.startMs > DAYS_MAX * DAY_MS) {
    throw new Fault(`parameter 'window': a push is of at most ${DAYS_MAX} days`, {
      parameter: 'window',
      hint: 'push month by month',
    });
  }
  return { source, window, ignored: params.ignored() };
}

async function store(
  options: PushOptions,
  { source, window, ignored }: Push,
  { body, signal, visit }: HttpRequest,
): Promise<HttpReply> {
  const { bills, compute } = options;
  const { arena } = compute;
  refuseOverlap(bills, { source, window });
  return await withOwner(compute, async (owner) => {
    const bytes = Math.max(1, body.length);
    const address = arena.allocate(bytes, owner);
    arena.u8(address, body.length).set(body);
    const input = { address, bytes: body.length, window, owner };
    const csv = await compute.pool.run('pushedCosts', input, signal);
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield arena.u8(csv.address, csv.bytes);
    };
    const known = bills.sources().find((one) => one.as === 'external' && one.source === source);
    await visit.record({
      of: `external/${source}`,
      before: known === undefined ? null : { periods: known.periods.map(windowOf) },
      after: { window: windowOf(window), bytes: body.length, sha256: sha256Of(body) },
    });
    const { rows, replacedRows, warnings } = await bills.deliver(
      {
        as: 'external',
        source,
        files: [streamedBill('the body', chunks())],
        currency: 'USD',
        isSkipping: false,
        onBad: () => undefined,
        onRows: () => undefined,
      },
      signal,
    );
    const data = { source, window: windowOf(window), rows, replacedRows };
    return json({ code: 200, data, ...withWarnings([...ignored, ...warnings]) });
  });
}

function sha256Of(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

/** A window is replaced whole or not at all; a window across another would count days twice. */
function refuseOverlap(
  bills: PushOptions['bills'],
  { source, window }: Pick<Push, 'source' | 'window'>,
): void {
  const periods = bills
    .sources()
    .filter((known) => known.as === 'external' && known.source === source)
    .flatMap((known) => known.periods);
  const across = periods.find(
    ({ startMs, endMs }) =>
      startMs < window.endMs &&
      endMs > window.startMs &&
      !(startMs === window.startMs && endMs <= window.endMs),
  );
  if (across === undefined) return;
  const { start, end } = windowOf(across);
  throw new Fault(
    `source '${source}' has costs of ${start} to ${end}, pushed with another window`,
    {
      status: 409,
      parameter: 'window',
      hint: 'push the same windows again, or from another source',
    },
  );
}
