/** Endpoint 7: GET /savings/requestSizing and requestSizingV2, and their totals. */
import {
  answering,
  cachedOnceRead,
  caveatHeaders,
  type HttpReply,
  type AnswerCaching,
  type Route,
} from '../http/index.ts';
import { discreet, withNotes, type Clock } from '../query/index.ts';
import { originOf } from '../storage/index.ts';
import { sizingAnswer, type SizingFound, type SizingOptions } from './recommend/answer.ts';
import {
  readSizingPlan,
  type SizingPlan,
  type SizingShape,
  type Version,
} from './recommend/params.ts';
import { usedSets } from './demand/used-sets.ts';

export interface SizingRouteOptions extends SizingOptions {
  readonly clock: Clock;
  readonly shape: SizingShape;
  readonly answers: AnswerCaching;
}

const PATHS: readonly (readonly [path: string, version: Version, isTopline: boolean])[] = [
  ['/savings/requestSizing', 'v1', false],
  ['/savings/requestSizing/topline', 'v1', true],
  ['/savings/requestSizingV2', 'v2', false],
  ['/savings/requestSizingV2/topline', 'v2', true],
];

export function requestSizingRoutes(options: SizingRouteOptions): Route[] {
  const { sets, clock, shape, answers } = options;
  return PATHS.map(([path, version, isTopline]) => ({
    method: 'GET',
    path,
    needs: 'viewer',
    scoping: 'joined',
    handle: answering<SizingPlan, SizingFound>({
      plan(_, params) {
        const context = { calendar: clock.calendar, shape, nowMs: clock.nowMs() };
        return readSizingPlan(params, version, isTopline, context);
      },
      find(plan, ignored, isScoped) {
        const used = usedSets(sets, clock.calendar, plan);
        const caveats = isScoped ? discreet(used.caveats, []) : used.caveats;
        return { ...used, caveats, isDamaged: false, ignored };
      },
      identity,
      isTagged: ({ isSealed, isDamaged }) => isSealed && !isDamaged,
      head: headersOf,
      // Damage is found before the first chunk.
      make: (plan, used, signal) => sizingAnswer(options, plan, used, signal),
      serving: cachedOnceRead(answers, ({ isDamaged }) => !isDamaged),
    }),
  }));
}

function headersOf(
  { isCsv, isArray }: SizingPlan,
  { ignored, caveats }: SizingFound,
): HttpReply['headers'] {
  const headers = caveatHeaders(withNotes(ignored, caveats));
  if (!isCsv) return { 'content-type': 'application/json', ...(isArray ? headers : {}) };
  return {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="request-sizing.csv"',
    ...headers,
  };
}

/** The same for the same answer: the plan, and the bytes it reads. */
function identity(
  { window: _window, nowMs: _nowMs, ...plan }: SizingPlan,
  { windows, missing, caveats }: SizingFound,
): unknown {
  const origins = windows.map(({ allocations, usage }) =>
    [allocations, usage].map((stored) => stored && originOf(stored)),
  );
  return [plan, origins, missing, caveats.warnings];
}
