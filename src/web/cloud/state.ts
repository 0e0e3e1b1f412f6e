/** What the view of cloud costs keeps in the address. */
import { own } from '../own-state.ts';
import { METRICS, type Metric } from './cloud-costs.ts';
import type { CloudQuestion, ExternalQuestion } from './questions.ts';

/** Names in the address. */
export const GROUP = 'charges';
export const METRIC = 'metric';
export const FILTER = 'billed';
export const EXTERNAL_GROUP = 'external';
export const EXTERNAL_FILTER = 'externals';

export function cloudQuestion(): CloudQuestion {
  const metric = own(METRIC, 'amortizedNetCost');
  return {
    group: own(GROUP, 'service'),
    metric: METRICS.find((known): known is Metric => known === metric) ?? 'amortizedNetCost',
    filter: own(FILTER),
  };
}

export function externalQuestion(): ExternalQuestion {
  return { group: own(EXTERNAL_GROUP, 'domain'), filter: own(EXTERNAL_FILTER) };
}
