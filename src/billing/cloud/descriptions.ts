/** How the routes of cloud costs are described. */
import {
  autocompleted,
  accumulated,
  daysWindow,
  eachOf,
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
  type Schema,
} from '../../http/index.ts';
import { CHARGE_UNITS } from '../charges/index.ts';
import { FILTERS, SORTS } from './params.ts';
import { COST_METRICS, PROPERTY_NAMES } from './schema.ts';

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
const WINDOW = named('Window');
const COST = objectOf({ cost: NUMBER, kubernetesPercent: NUMBER });
const ITEM = objectOf({
  properties: objectOf({ ...eachOf(PROPERTY_NAMES, TEXT), labels: mapOf(TEXT) }, PROPERTY_NAMES),
  window: WINDOW,
  ...eachOf(COST_METRICS, COST),
});
const SET = objectOf({
  cloudCosts: mapOf(ITEM),
  window: WINDOW,
  aggregationProperties: listOf(TEXT),
});
const SETS = envelope(objectOf({ sets: listOf(SET), window: WINDOW }));
const rowOf = (labels: Schema): Schema =>
  objectOf({ name: TEXT, labels, kubernetesPercent: NUMBER, cost: NUMBER });

export const CLOUD_API: DescribedRoom = {
  routes: {
    'GET /cloudCost': { summary: 'Costs of the cloud’s bill, set by set', parameters: VIEWED, answers: SETS }, // prettier-ignore
    'GET /cloudCost/aggregate': { summary: 'The same', parameters: VIEWED, answers: SETS },
    'GET /cloudCost/view/table': {
      summary: 'The rows of the bill, as a table',
      parameters: { ...VIEWED, format: word('how the table is written', ['json', 'csv'], 'json') },
      answers: { ...envelope(listOf(rowOf(mapOf(TEXT)))), 'text/csv; charset=utf-8': TEXT },
    },
    'GET /cloudCost/view/totals': {
      summary: 'How many rows there are, and their total',
      parameters: VIEWED,
      answers: envelope(objectOf({ numResults: NUMBER, combined: rowOf({ type: 'null' }) })),
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
          window: WINDOW,
          comparisonWindow: WINDOW,
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
