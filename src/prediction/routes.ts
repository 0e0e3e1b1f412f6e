/** POST /prediction/speccost: predicted costs of manifests. */
import { answeringWhole, bytes, caveatHeaders, type Route } from '../http/index.ts';
import type { Admission } from '../pool/index.ts';
import { type Caveats, discreet, FoundCaveats, withNotes, type Clock } from '../query/index.ts';
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
      needs: 'viewer',
      scoping: 'joined',
      body: 'any',
      handle: answeringWhole<PredictionPlan, Predicted>({
        plan: (_, params) => readPredictionPlan(params, clock.calendar, clock.nowMs()),
        turns: admission,
        async value(plan, { body, signal }) {
          const caveats = new FoundCaveats();
          const text = await predictCosts(options, plan, body, caveats, signal);
          return { text, caveats };
        },
        reply({ text, caveats }, _, ignored, isScoped) {
          const told = isScoped ? discreet(caveats, ignored) : withNotes(ignored, caveats);
          return bytes('application/json', text, caveatHeaders(told));
        },
        isTagged: () => false,
      }),
    },
  ];
}

interface Predicted {
  readonly text: Uint8Array;
  readonly caveats: Caveats;
}
