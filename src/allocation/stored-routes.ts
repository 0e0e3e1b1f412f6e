/** Endpoint 12: GET /allocation, its summaries, and the values of its fields. */
import {
  answering,
  answeringWhole,
  caveatFields,
  json,
  cachedOnceRead,
  unchanged,
  type AnswerCaching,
  type Recipe,
  type Route,
} from '../http/index.ts';
import { discreet, withNotes } from '../query/index.ts';
import type { AnswerCache } from './caches/answer-cache.ts';
import { answerHeaders, formatAccepted } from './stored/answer-headers.ts';
import { readAutocompletePlan, type AutocompletePlan } from './params/autocomplete-params.ts';
import { estimatedMs } from './params/stored-cost.ts';
import { valuesOfSets, type Values } from './stored/autocomplete.ts';
import { resolve } from './stored/charged-sets.ts';
import { withExternalCosts } from './stored/external-sets.ts';
import {
  readStoredPlan,
  readSummaryPlan,
  readToplinePlan,
  type StoredPlan,
} from './params/stored-params.ts';
import { withUnborneShares } from './stored/unborne-shares.ts';
import { storedAnswer } from './stored/stored-answer.ts';
import { memberOrigin, wholeOf, type Resolved, type StoredOptions } from './stored/stored.ts';
import { resourceRoutes } from './resource-routes.ts';
import { trendsRoutes } from './trends-routes.ts';
import { WarmReplies } from './caches/warm-replies.ts';

export interface StoredRouteOptions extends StoredOptions {
  readonly answers: AnswerCaching & { readonly cache: AnswerCache };
}

export function storedRoutes(options: StoredRouteOptions): Route[] {
  const { sets, clock, answers } = options;
  const warm = new WarmReplies(answers.cache.budgetBytes);
  const queries = QUERIES.map(([path, read]): Route => {
    const answer = answering(recipe(options, read, warm));
    return {
      method: 'GET',
      path,
      ...(COMPUTED_WITHOUT_PREFIX.has(path) ? { dialect: 'kubecost' as const } : {}),
      needs: 'viewer',
      scoping: 'joined',
      handle(request) {
        const known = warm.get(request, sets.version, clock.nowMs());
        if (known === undefined) return answer(request);
        answers.cache.countHit();
        return unchanged(request, known.headers) ?? known;
      },
    };
  });
  return [
    ...queries,
    ...trendsRoutes(options),
    ...resourceRoutes(options),
    {
      method: 'GET',
      path: '/allocation/autocomplete',
      needs: 'viewer',
      scoping: 'joined',
      handle: autocompleting(options),
    },
  ];
}

const QUERIES: readonly (readonly [path: string, read: typeof readStoredPlan])[] = [
  ['/allocation', readStoredPlan],
  ['/allocation/summary', readSummaryPlan],
  ['/allocation/summary/topline', readToplinePlan],
];

const COMPUTED_WITHOUT_PREFIX: ReadonlySet<string> = new Set([
  '/allocation',
  '/allocation/summary',
]);

/** What takes workers no longer, by its estimate, does not wait behind what does. */
const CHEAP_MS = 15;

interface Found extends Resolved {
  /** The sets' version before they were looked at. */
  readonly version: number;
}

function recipe(
  options: StoredRouteOptions,
  read: typeof readStoredPlan,
  warm: WarmReplies,
): Recipe<StoredPlan, Found> {
  const { answers, clock } = options;
  return {
    plan(request, params) {
      const format = formatAccepted(request.header('accept'));
      return read(params, clock.calendar, clock.nowMs(), format);
    },
    find: (plan, ignored, isScoped) => findSets(options, plan, ignored, isScoped),
    identity,
    isTagged: ({ isSealed, isDamaged }) => isSealed && !isDamaged,
    head: headersOf,
    make(plan, resolved, signal) {
      const { chunks, found, headSent } = storedAnswer(options, plan, resolved, { signal });
      return { chunks, found: () => ({ ...resolved, ...found() }), headSent };
    },
    serving: cachedOnceRead(answers, ({ isDamaged }) => !isDamaged),
    isCheap: (plan, { groups }) =>
      estimatedMs(
        plan,
        groups.map(({ members }) => members),
      ) <= CHEAP_MS,
    onCached(reply, { request, plan, found: { version } }) {
      warm.add(request, { reply, version, untilMs: sameReplyUntilMs(plan) });
    },
  };
}

async function findSets(
  options: StoredRouteOptions,
  plan: StoredPlan,
  ignored: readonly string[],
  isScoped: boolean,
): Promise<Found> {
  const { version } = options.sets;
  const charged = await withUnborneShares(options, plan, await resolve(options, plan));
  const isExternal = plan.request.query.external;
  const resolved = isExternal ? await withExternalCosts(options.billed.external, charged) : charged;
  if (isScoped) return { ...resolved, ...discreet(resolved, ignored), nodeCosts: {}, version };
  return { ...resolved, warnings: [...ignored, ...resolved.warnings], version };
}

/** Shares of a monthly cost, and rates, change all the time in days that are not over. */
function sameReplyUntilMs(plan: StoredPlan): number {
  const { shareUsdPerMonth, costMetric } = plan.request;
  const isTimeless = shareUsdPerMonth === 0 && costMetric === 'cumulative';
  return isTimeless || wholeOf(plan).endMs <= plan.nowMs ? plan.sameUntilMs : plan.nowMs;
}

function autocompleting(options: StoredRouteOptions): Route['handle'] {
  const { answers, clock } = options;
  return answeringWhole<AutocompletePlan, Values>({
    plan: (_, params) => readAutocompletePlan(params, clock.calendar, clock.nowMs()),
    turns: answers.admission,
    value: (plan, { signal }) => valuesOfSets(options, plan, signal),
    reply({ values, ...caveats }, _, ignored, isScoped) {
      const told = isScoped ? discreet(caveats, ignored) : withNotes(ignored, caveats);
      // Clients of both dialects read it so.
      return json({ code: 200, data: { data: values }, ...caveatFields(told) });
    },
    isTagged: () => false,
  });
}

function headersOf(plan: StoredPlan, resolved: Resolved): Record<string, string> {
  const { kind } = plan.format;
  const { message } = resolved;
  return {
    ...answerHeaders(kind, wholeOf(plan), resolved),
    ...(kind === 'json' || message === '' ? {} : { 'x-prorata-message': message }),
  };
}

/** The same for the same answer: the query, and the bytes it reads. */
function identity(plan: StoredPlan, { groups, warnings, message }: Resolved): unknown {
  // The names of members are part of the tag: with others every client would read all again.
  const { view, unit, request: asked, nowMs, days: _, sameUntilMs: _until, ...others } = plan;
  const isRate = plan.request.costMetric !== 'cumulative';
  const upToMs = isRate ? Math.min(nowMs, wholeOf(plan).endMs) : null;
  const members = groups.map(({ window, members: of }) => [window, of.map(memberOrigin)]);
  return [{ view, unit, asked, ...others }, members, warnings, message, upToMs];
}
