/** How the routes of external costs are described. */
import {
  accumulated,
  BOOLEAN,
  daysWindow,
  eachOf,
  envelope,
  filters,
  listOf,
  mapOf,
  named,
  needed,
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
import { PUSHED_COST } from './pushed-cost.ts';
import { COST_TYPES } from './schema.ts';
import { SORTS } from './write-entry.ts';

const LISTED: DescribedParameters = {
  ...daysWindow(),
  aggregate: text('what costs are grouped by', 'domain'),
  ...accumulated(CHARGE_UNITS),
  costType: word('the cost that is shown', COST_TYPES, 'blended'),
  sortBy: word('the order of costs', SORTS, 'cost'),
  sortDirection: word('the direction of the order', ['desc', 'asc']),
  ...PAGE,
  ...filters(['filter'], 'domain:"datadog"'),
};

const WINDOW = named('Window');
const ITEM_TEXTS = [
  'id', 'zone', 'account_name', 'charge_category', 'description', 'resource_name', 'resource_type', 'provider_id',
  'usage_unit', 'domain', 'cost_source', 'aggregate',
]; // prettier-ignore
const ITEM = objectOf({
  ...eachOf(ITEM_TEXTS, TEXT),
  ...eachOf(['billedCost', 'listCost', 'list_unit_price', 'usage_quantity', 'cost'], NUMBER),
  cost_type: { enum: COST_TYPES },
});
const ENTRY: Schema = objectOf({
  window: WINDOW,
  ...eachOf(['totalBilledCost', 'totalListCost', 'totalCost'], NUMBER),
  totalCostType: { enum: COST_TYPES },
  customCosts: listOf(ITEM),
});
const COVERED = { runs: NUMBER, active: BOOLEAN, valid: BOOLEAN };
const STATUS = listOf(
  objectOf({
    ...eachOf(['key', 'source', 'connectionStatus', 'lastRun'], TEXT),
    ...COVERED,
    rows: NUMBER,
    coverage: WINDOW,
  }),
);
const ONE_STATUS = objectOf(
  {
    ...eachOf(['connectionStatus', 'lastRun'], TEXT),
    ...COVERED,
    enabled: BOOLEAN,
    domains: listOf(TEXT),
    coverageHourly: objectOf({}),
    coverageDaily: mapOf(WINDOW),
  },
  ['connectionStatus', 'lastRun'],
);

/** The status of the cloud's bills has the form of that of external ones. */
export const EXTERNAL_API: DescribedRoom = {
  schemas: { ExternalCosts: ENTRY },
  routes: {
    'GET /customCost/total': {
      summary: 'Costs of external services',
      parameters: LISTED,
      answers: envelope(named('ExternalCosts')),
    },
    'GET /customCost/timeseries': {
      summary: 'Costs of external services, set by set',
      parameters: LISTED,
      answers: envelope(objectOf({ window: WINDOW, timeseries: listOf(named('ExternalCosts')) })),
    },
    'POST /customCost': {
      summary: 'Stores costs of external services, in place of what the source told of the window',
      parameters: {
        source: needed(text('the name of who pushes', 'datadog')),
        ...daysWindow(),
      },
      body: {
        schema: PUSHED_COST.schema,
        types: ['application/x-ndjson', 'application/json'],
        example: JSON.parse(PUSHED_COST.example) as unknown,
      },
      answers: envelope(
        objectOf({ source: TEXT, window: WINDOW, rows: NUMBER, replacedRows: NUMBER }),
      ),
      errors: [409],
    },
    'GET /customCost/status': {
      summary: 'The sources of external costs, and what is known of them',
      answers: envelope(STATUS),
    },
    'opencost GET /customCost/status': {
      summary: 'The same, as one object',
      answers: envelope(ONE_STATUS),
    },
    'GET /cloudCost/status': {
      summary: 'The bills of clouds, and what is known of them',
      answers: envelope(STATUS),
    },
  },
};
