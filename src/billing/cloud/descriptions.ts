/** How the routes of cloud costs are described. */
import {
  autocompleted,
  accumulated,
  daysWindow,
  envelope,
  filters,
  listOf,
  mapOf,
  named,
  NUMBER,
  objectOf,
  PAGE,
  TEXT,
  text,
  word,
  type DescribedParameters,
  type DescribedRoom,
} from '../../http/index.ts';
import { CHARGE_UNITS } from '../charges/index.ts';
import { FILTERS, SORTS } from './params.ts';
import { COST_METRICS } from './schema.ts';

const FILTERED: DescribedParameters = filters(
  FILTERS.map(([name]) => name),
  'service:"AmazonEC2"',
);
const VIEWED: DescribedParameters = {
  ...daysWindow(),
  aggregate: text('what charges are grouped by', 'service'),
  ...accumulated(CHARGE_UNITS, 'none'),
  costMetric: word('the cost that is shown', COST_METRICS, 'amortizedNetCost'),
  sortBy: word('the order of rows', SORTS, 'cost'),
  sortByOrder: word('the direction of the order', ['desc', 'asc']),
  names: text('trends to show, in this order', 'AmazonEC2,AmazonS3'),
  ...PAGE,
  ...FILTERED,
};
const SETS = envelope({ type: 'object', required: ['sets'], properties: { sets: listOf({ type: 'object', required: ['cloudCosts', 'window'] }) } }); // prettier-ignore
const ROW = { type: 'object', required: ['name', 'labels', 'kubernetesPercent', 'cost'] };

export const CLOUD_API: DescribedRoom = {
  routes: {
    'GET /cloudCost': { summary: 'Costs of the cloud’s bill, set by set', parameters: VIEWED, answers: SETS }, // prettier-ignore
    'GET /cloudCost/aggregate': { summary: 'The same', parameters: VIEWED, answers: SETS },
    'GET /cloudCost/view/table': {
      summary: 'The rows of the bill, as a table',
      parameters: { ...VIEWED, format: word('how the table is written', ['json', 'csv'], 'json') },
      answers: { ...envelope(listOf(ROW)), 'text/csv; charset=utf-8': TEXT },
    },
    'GET /cloudCost/view/totals': {
      summary: 'How many rows there are, and their total',
      parameters: VIEWED,
      answers: envelope(objectOf({ numResults: NUMBER, combined: ROW })),
    },
    'GET /cloudCost/view/graph': {
      summary: 'The cost of each row, set by set',
      parameters: VIEWED,
      answers: envelope(
        listOf(
          objectOf({
            start: TEXT,
            end: TEXT,
            items: listOf(objectOf({ name: TEXT, value: NUMBER })),
          }),
        ),
      ),
    },
    'GET /cloudCost/view/trends': {
      summary: 'How costs changed against as many days before',
      parameters: VIEWED,
      answers: envelope(
        objectOf({
          trends: mapOf(named('Change')),
          window: named('Window'),
          comparisonWindow: named('Window'),
        }),
      ),
    },
    'GET /cloudCost/autocomplete': autocompleted(
      'Values that a field of the bill has in the window',
      text('the field, such as service', 'service'),
      'Amazon',
      FILTERED,
    ),
  },
};
