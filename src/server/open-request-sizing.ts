/** The recommendations of requests over the stored sets of a server. */
import { AnswerCache } from '../allocation/index.ts';
import type { Config } from '../settings/config.ts';
import { parseQuery, type Route } from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import {
  CachedDemand,
  readRequestSizingPlan,
  requestSizingRoutes,
  savingsOfControllers,
  usedSets,
  type SizingRouteOptions,
} from '../request-sizing/index.ts';
import type { SavingsOptions } from '../savings/index.ts';
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

export interface RequestSizing {
  readonly routes: Route[];
  /** What requests save by default, controller by controller. */
  readonly requests: SavingsOptions['requests'];
}

export function openRequestSizing(
  { requestSizingShape: shape }: Pick<Config, 'requestSizingShape'>,
  { compute, memory }: Omit<Engine, 'close'>,
  { sets, clock }: Pick<SizingRouteOptions, 'sets' | 'clock'>,
  states: CacheStates,
): RequestSizing {
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
  const options = { sets, compute, cache: demand };
  const routes = requestSizingRoutes({
    ...options,
    clock,
    shape,
    answers: {
      admission: createAdmission(COMPUTED),
      streams: createAdmission({ ...STREAMS, running: Math.ceil(STREAMS_SHARE * memory.streams) }),
      cache: answers,
    },
  });
  return {
    routes,
    requests({ text }, signal) {
      const { calendar } = clock;
      const params = parseQuery(`window=${encodeURIComponent(text)}`);
      const plan = readRequestSizingPlan(params, 'v2', true, { calendar, shape, nowMs: clock.nowMs() }); // prettier-ignore
      return savingsOfControllers(options, plan, usedSets(sets, calendar, plan), signal);
    },
  };
}
