/** POST /prediction/speccost: predicted costs of manifests. */
import { answeringWhole, bytes, warningsHeader, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import type { Clock } from '../query/index.ts';
import { readPredictionPlan, type PredictionPlan } from './params.ts';
import { predictCosts, type PredictionOptions } from './stored-predictions.ts';

export interface PredictionRouteOptions extends PredictionOptions {
  readonly clock: Clock;
  readonly admission: Admission;
}

export function predictionRoutes(options: PredictionRouteOptions): Route[] {
  const { clock, admission } = options;
  return [
    {
      method: 'POST',
      path: '/prediction/speccost',
      handle: answeringWhole<PredictionPlan, Predicted>({
        plan: (_, params) => readPredictionPlan(params, clock.calendar, clock.nowMs()),
        turns: admission,
        async value(plan, { body, signal }) {
          const warnings = new Set<string>();
          const text = await predictCosts(options, plan, body, warnings, signal);
          return { text, warnings: [...warnings] };
        },
        reply: ({ text, warnings }, _, ignored) => {
          const headers = warningsHeader([...ignored, ...warnings], warnings.length > 0);
          return bytes('application/json', text, headers);
        },
        isTagged: () => false,
      }),
    },
  ];
}

interface Predicted {
  readonly text: Uint8Array;
  readonly warnings: readonly string[];
}
