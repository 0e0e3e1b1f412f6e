/** A route with the recipe of answers that counts each step. */
import assert from 'node:assert/strict';
import { answering } from '../../src/http/answering.ts';
import type { HttpHandler, HttpRequest } from '../../src/http/server.ts';
import {
  begun,
  inTurnWhileRead,
  cachedOnceRead,
  type Serving,
  type Turns,
} from '../../src/http/serving.ts';
import { inTurnShared } from '../../src/http/sharing.ts';
import { AnswerCache } from '../../src/allocation/caches/answer-cache.ts';
import { Unavailable } from '../../src/query/index.ts';
import { until } from './front-ends.ts';
import { openRouter } from '../support/servers/open-router.ts';

/** How often each step ran. */
interface Counts {
  found: number;
  made: number;
  /** Answers whose first chunk was requested. */
  started: number;
  /** Started answers that ended in any way. */
  ended: number;
  entered: number;
  left: number;
  waiting: number;
  /** Replies from the cache. */
  cached: number;
  /** Left the queue without a turn. */
  gaveUp: number;
}

interface Found {
  readonly warning: string;
  readonly isDamaged: boolean;
}

const WHOLE: Found = { warning: '', isDamaged: false };
const BEGINNING_BYTES = 4;
export const ETAG: RegExp = /^"[\w-]{27}"$/;

/** A way through the recipe. */
export interface Way {
  readonly turns?: 'free' | 'refused' | 'never';
  /** Turns of streaming. */
  readonly streams?: 'free' | 'refused' | 'never';
  readonly plan?: () => never;
  readonly find?: () => never;
  readonly chunks?: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
  readonly later?: Found;
}

export const text = (...parts: readonly string[]): (() => AsyncGenerator<Uint8Array>) =>
  async function* (): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield await Promise.resolve(Buffer.from(part));
  };

function turnsOf(counts: Counts, kind: Way['turns'] = 'free'): Turns {
  return {
    async enter(signal) {
      if (kind === 'refused') throw new Unavailable('too many wait', { retryAfterSeconds: 5 });
      if (kind === 'never') {
        counts.waiting++;
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            counts.gaveUp++;
            reject(signal.reason as Error);
          });
        });
      }
      counts.entered++;
      return () => void counts.left++;
    },
  };
}

/** Counts the start and the end of the chunks, as an answer that takes memory would. */
async function* counted(
  counts: Counts,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  counts.started++;
  try {
    yield* chunks;
  } finally {
    counts.ended++;
  }
}

function streamedOrCached(admission: Turns, streams: Turns): Serving<Found> {
  const cache = new AnswerCache({ budgetBytes: 100_000, answerMaxBytes: BEGINNING_BYTES });
  return cachedOnceRead({ admission, streams, cache }, ({ isDamaged }) => !isDamaged);
}

export const SERVINGS: Readonly<Record<string, (turns: Turns, streams: Turns) => Serving<Found>>> =
  {
    inTurnWhileRead: (turns) => inTurnWhileRead(turns),
    begun: () => begun(BEGINNING_BYTES),
    inTurnShared: (turns) => inTurnShared(turns, BEGINNING_BYTES),
    cachedOnceRead: streamedOrCached,
  };

export function recipeOf(
  name: string,
  way: Way,
): { readonly handler: HttpHandler; readonly counts: Counts } {
  const counts: Counts = {
    found: 0,
    made: 0,
    started: 0,
    ended: 0,
    entered: 0,
    left: 0,
    waiting: 0,
    cached: 0,
    gaveUp: 0,
  };
  const turns = turnsOf(counts, way.turns);
  const make = SERVINGS[name];
  assert.ok(make);
  const handle = answering<string, Found>({
    plan: way.plan ?? (({ query }: HttpRequest) => query),
    find: () => {
      counts.found++;
      return way.find?.() ?? WHOLE;
    },
    identity: (plan) => [plan],
    isTagged: ({ isDamaged }) => !isDamaged,
    head: (_, { warning }) => ({
      'content-type': 'text/csv',
      ...(warning === '' ? {} : { 'x-prorata-warnings': warning }),
    }),
    make(_, found, signal) {
      counts.made++;
      const chunks = counted(counts, (way.chunks ?? text('abc', 'def'))(signal));
      // With `begun` the chunks take turns by themselves.
      const own = name === 'begun' ? inTurn(turns, chunks, signal) : chunks;
      return { chunks: own, found: () => way.later ?? found };
    },
    serving: make(turns, turnsOf(counts, way.streams)),
    onCached: () => void counts.cached++,
  });
  const log = (): void => undefined;
  return {
    handler: openRouter(
      [{ method: 'GET', path: '/', needs: 'nobody', scoping: 'unneeded', handle }],
      { log },
    ),
    counts,
  };
}

async function* inTurn(
  turns: Turns,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const leave = await turns.enter(signal);
  try {
    yield* chunks;
  } finally {
    leave();
  }
}

/** Turns and chunks were given back once. @param started the number of answers that were begun */
export const allBack = async (counts: Counts, started: number): Promise<void> => {
  await until(() => counts.ended === started && counts.left === counts.entered, 'all is back');
  assert.equal(counts.started, started);
  assert.ok(counts.entered >= started);
};
