/** Endpoint 13: GET /allocation/compute, and what OpenCost serves there, as /allocation and as their summaries. */
import { answering, inTurnShared, type Dialect, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Clock } from '../query/index.ts';
import { answerHeaders, formatAccepted, type ToldBeside } from './stored/answer-headers.ts';
import { readComputedSummary, readPlan } from './params/params.ts';
import type { Plan } from './params/plan.ts';
import { query, type QueryOptions } from './compute/query.ts';
import { countingSamples, FEW_SAMPLES, SampleEstimates } from './compute/sample-estimates.ts';

/** A longer answer is streamed to one reader. */
const SHARED_BYTES = 64 * 1024;

export interface AllocationRouteOptions extends QueryOptions {
  readonly clock: Clock;
  readonly admission: Admission;
  /** The same for questions that read few samples. */
  readonly quick: Admission;
}

interface ComputeFound extends ToldBeside {
  readonly isScoped: boolean;
}

export function allocationRoutes(options: AllocationRouteOptions): Route[] {
  const estimates = new SampleEstimates();
  const computed = (dialect: Dialect, read?: typeof readPlan): Route['handle'] =>
    computing(options, estimates, dialect, read);
  const opencost = computed('opencost');
  const summary = computed('opencost', readComputedSummary);
  return [
    route('/allocation/compute', 'kubecost', computed('kubecost')),
    route('/allocation/compute', 'opencost', opencost),
    route('/allocation', 'opencost', opencost),
    route('/allocation/compute/summary', 'kubecost', computed('kubecost', readComputedSummary)),
    route('/allocation/compute/summary', 'opencost', summary),
    route('/allocation/summary', 'opencost', summary),
  ];
}

function route(path: string, dialect: Dialect, handle: Route['handle']): Route {
  return { method: 'GET', path, dialect, needs: 'viewer', scoping: 'joined', handle };
}

function computing(
  options: AllocationRouteOptions,
  estimates: SampleEstimates,
  dialect: Dialect,
  read: typeof readPlan = readPlan,
): Route['handle'] {
  const { admission, quick, clock } = options;
  return answering<Plan, ComputeFound>({
    plan(request, params) {
      const format = formatAccepted(request.header('accept'));
      return read(params, clock.calendar, clock.nowMs(), format, dialect);
    },
    // Other warnings are known only once it is computed.
    find: (_, ignored, isScoped) => ({
      warnings: ignored,
      isPartial: false,
      nodeCosts: {},
      isScoped,
    }),
    // Times that are told from now are those of the first who asks.
    identity: ({ view }, _found, request) => [view, request.header('accept'), request.query],
    isTagged: () => false,
    head: ({ format, window }, told) => answerHeaders(format.kind, window, told),
    async make(plan, { warnings, isScoped }, signal) {
      const { metrics, read: samplesRead } = countingSamples(options.metrics);
      const answer = await query({ ...options, metrics }, plan, signal, { warnings, isScoped });
      estimates.note(plan, samplesRead());
      return { chunks: answer.chunks, found: () => ({ ...answer, isScoped }) };
    },
    serving: inTurnShared(admission, SHARED_BYTES, quick),
    isCheap: (plan) => estimates.samplesOf(plan) <= FEW_SAMPLES,
  });
}
