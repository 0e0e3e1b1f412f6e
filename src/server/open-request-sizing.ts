/** The recommendations of requests over the stored sets of a server. */
import { AnswerCache } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import type { Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import {
  CachedDemand,
  requestSizingRoutes,
  type SizingRouteOptions,
} from '../request-sizing/index.ts';
import { ANSWER_MAX_BYTES } from './caches.ts';
import type { Engine } from './engine.ts';
import type { CacheStates } from './health/health.ts';

/** Each already uses every worker. */
const COMPUTED = { lane: 'questions of request sizing', running: 2, waiting: 64, waitMs: 30_000 };
const STREAMS = { lane: 'long answers of request sizing', waiting: 64, waitMs: 10_000 };
/** Share of the readers of long answers there may be. */
const STREAMS_SHARE = 1 / 4;
/** Share of the arena for the demand of windows: 40 MB for 50,000 containers. */
const CACHE_SHARE = 0.05;

export function openRequestSizing(
  { requestSizingShape: shape }: Pick<Config, 'requestSizingShape'>,
  { compute, memory }: Omit<Engine, 'close'>,
  { sets, clock }: Pick<SizingRouteOptions, 'sets' | 'clock'>,
  states: CacheStates,
): Route[] {
  const { arena, owners } = compute;
  const answers = new AnswerCache({
    budgetBytes: memory.sizingAnswersBytes,
    answerMaxBytes: ANSWER_MAX_BYTES,
  });
  const demand = new CachedDemand({
    arena,
    owners,
    budgetBytes: CACHE_SHARE * arena.capacityBytes,
  });
  states.set('sizing-answers', () => answers.state);
  states.set('sizing-demand', () => demand.state);
  return requestSizingRoutes({
    sets,
    compute,
    clock,
    shape,
    answers: {
      admission: createAdmission(COMPUTED),
      streams: createAdmission({ ...STREAMS, running: Math.ceil(STREAMS_SHARE * memory.streams) }),
      cache: answers,
    },
    cache: demand,
  });
}
