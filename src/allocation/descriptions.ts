/** How the routes of allocations are described. */
import {
  autocompleted,
  amount,
  BOOLEAN,
  count,
  daysWindow,
  eachOf,
  envelope,
  filters,
  flag,
  listOf,
  mapOf,
  named,
  needed,
  NULLABLE,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
  text,
  word,
  type Described,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';
import { ASSET_PERCENTAGES, ASSET_SHARES, NODE_PERCENTAGE } from './formats/asset-shares.ts';
import { PARAMETERS } from './params/params.ts';
import { ASSET_SHARES_FLAG } from './params/asset-shares-flag.ts';
import { FILTER_NAMES } from './params/filters.ts';
import type { Parameter } from './params/set-query-params.ts';
import { STORED_PARAMETERS } from './params/stored-params.ts';
import { BREAKDOWN } from './query/shared-breakdown.ts';
import { SHARED_KINDS } from './query/shared-costs.ts';
import {
  END_SOURCES,
  FIELDS,
  IDENTITY_COLUMNS,
  PAID_COLUMNS,
  RAW_FIELDS,
  SUMMARY_FIELDS,
  type Field,
} from './row/schema.ts';

/** Parameters that select rows of allocations, on whichever route. */
export const ALLOCATION_FILTERS: DescribedParameters = filters(
  FILTER_NAMES,
  'namespace:"web"+label[app]:"shop"',
);

const EXAMPLES: Readonly<Record<string, string>> = {
  window: '2024-05-02T10:00:00Z,2024-05-02T10:20:00Z',
  aggregate: 'namespace',
  resolution: '10m',
  step: '10m',
  accumulate: 'true',
  accumulateBy: 'day',
  shareIdle: 'weighted',
  shareNamespaces: 'kube-system',
  shareLabels: 'team:platform',
  sortBy: 'totalCost',
};
const REQUIRED = /^required/;

/** A row of a table of parameters, which help shows too. */
function described(parameter: Parameter): DescribedParameters {
  const { name, value, help } = parameter;
  const [, byDefault] = /default (\w+)/.exec(help) ?? [];
  const words = value.split('|');
  if (value === 'BOOLEAN') return { [name]: flag(help, flagByDefault(byDefault)) };
  if (value === 'N') return { [name]: count(help, '5') };
  if (value === 'USD') return { [name]: amount(help, '30.42') };
  if (words.length > 1) {
    const known = words.find((each) => each === byDefault);
    return { [name]: word(help, words, known) };
  }
  const plain = text(help, EXAMPLES[name] ?? 'web*');
  return { [name]: REQUIRED.test(help) ? needed(plain) : plain };
}

function flagByDefault(word: string | undefined): boolean | undefined {
  return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

const EXTRA: DescribedParameters = {
  external: flag('adds external costs to the rows that they are of', false),
};

function tableOf(table: readonly Parameter[]): DescribedParameters {
  const all = Object.assign({}, ...table.map(described)) as DescribedParameters;
  return { ...all, ...ALLOCATION_FILTERS, ...EXTRA };
}

/** Idle is not computed unless it is requested, and shares are of it too: their example must hold by itself. */
function computedParameters(): DescribedParameters {
  const all = tableOf(PARAMETERS);
  const { [ASSET_SHARES_FLAG]: flagged } = all;
  return { ...all, ...(flagged && { [ASSET_SHARES_FLAG]: { ...flagged, example: 'false' } }) };
}

const COMPUTED: DescribedParameters = {
  ...computedParameters(),
  exactWindow: flag('3d is three whole days, today the last', false),
};

const STORED: DescribedParameters = {
  ...tableOf(STORED_PARAMETERS),
  ...daysWindow(),
  step: text('a day: stored sets are days', '1d'),
  resolution: text('changes nothing: stored sets are as exact as can be', '1m'),
};

const ROWS: DescribedParameters = {
  ...daysWindow(),
  aggregate: text('what rows are grouped by', 'namespace'),
  ...ALLOCATION_FILTERS,
};

const numbers = (fields: readonly Field[]): Readonly<Record<string, Schema>> =>
  eachOf(
    fields.map(({ json }) => json),
    NULLABLE,
  );
const WINDOW = named('Window');
const LABELS = mapOf(TEXT);

/** What is known of the rows, each where all of them have it. */
const PROPERTIES: Readonly<Record<string, Schema>> = {
  ...eachOf([...IDENTITY_COLUMNS, 'providerIDFull'], TEXT),
  ...eachOf(['label', 'labels', 'annotation', 'annotations', 'namespaceLabels', 'namespaceAnnotations'], LABELS),
  ...eachOf(['service', 'services'], listOf(TEXT)),
}; // prettier-ignore

/** What rows pay for, by key. */
const PAID: Readonly<Record<(typeof PAID_COLUMNS)[number], Schema>> = {
  pvs: objectOf({ byteHours: NUMBER, cost: NUMBER, providerID: TEXT, adjustment: NUMBER }, [
    'providerID',
    'adjustment',
  ]),
  lbAllocations: objectOf({ service: TEXT, cost: NUMBER, private: BOOLEAN, ip: TEXT }),
};

const SHARED_SOURCE = objectOf({
  name: TEXT,
  ...eachOf(['totalCost', ...SHARED_KINDS.map(([kind]) => kind)], NUMBER),
});

/** Parts of what an asset costs, in [0, 1]; with idleByNode=false of all assets of a cluster. */
const ASSET_SHARE = objectOf(
  {
    ...eachOf(['cluster', 'name', 'type', 'providerID'], TEXT),
    ...eachOf([...ASSET_PERCENTAGES, NODE_PERCENTAGE], NUMBER),
  },
  ['name', 'type', 'providerID'],
);

const ALLOCATION: Schema = objectOf(
  {
    name: TEXT,
    properties: objectOf(PROPERTIES, Object.keys(PROPERTIES)),
    window: WINDOW,
    start: TEXT,
    end: TEXT,
    ...numbers(FIELDS),
    ...Object.fromEntries(PAID_COLUMNS.map((name) => [name, orNull(mapOf(PAID[name]))])),
    rawAllocationOnly: orNull(objectOf(numbers(RAW_FIELDS))),
    [BREAKDOWN]: orNull(mapOf(SHARED_SOURCE)),
    [ASSET_SHARES]: orNull(mapOf(ASSET_SHARE)),
    priceSource: { type: ['string', 'null'] },
    endSource: { enum: END_SOURCES },
    endUncertaintySeconds: NULLABLE,
    accuracy: objectOf({ lower: NULLABLE, upper: NULLABLE }),
  },
  [BREAKDOWN, ASSET_SHARES, 'accuracy'],
);

const SUMMARY: Schema = objectOf(
  { name: TEXT, start: TEXT, end: TEXT, ...numbers(SUMMARY_FIELDS), [BREAKDOWN]: orNull(mapOf(SHARED_SOURCE)) },
  [BREAKDOWN],
); // prettier-ignore

const SUMMARY_SET = objectOf({ allocations: mapOf(named('AllocationSummary')), window: WINDOW });
const TEXTS = {
  'text/csv; charset=utf-8': TEXT,
  'application/x-ndjson': TEXT,
  'application/vnd.apache.arrow.stream': TEXT,
};
const SETS = { ...envelope(listOf(mapOf(named('Allocation')))), ...TEXTS };
const SUMMARIES = {
  ...envelope(
    objectOf({ step: NUMBER, sets: listOf(named('AllocationSummarySet')), window: WINDOW }),
  ),
  ...TEXTS,
};

const AMOUNTS = objectOf({
  request: objectOf({ avg: NUMBER }),
  usage: objectOf({ avg: NUMBER, max: NULLABLE }),
});
const ITEMS = listOf(objectOf({ name: TEXT, ...eachOf(['cpu', 'ram', 'gpu'], AMOUNTS) }));
const CHANGED = objectOf({ relativeChange: named('Change') });
const TREND = objectOf({ trends: objectOf({ costs: objectOf({ totalCost: CHANGED }) }) });

const computed = (summary: string, answers: Described['answers']): Described => ({
  summary,
  parameters: COMPUTED,
  answers,
});

export const ALLOCATION_API: DescribedRoom = {
  schemas: {
    Window: objectOf({ start: TEXT, end: TEXT }),
    Allocation: ALLOCATION,
    AllocationSummary: SUMMARY,
    AllocationSummarySet: SUMMARY_SET,
    Change: objectOf({ isInfinite: BOOLEAN, isNaN: BOOLEAN, value: NULLABLE }),
    Values: objectOf({ data: listOf(TEXT) }),
  },
  routes: {
    'GET /allocation': {
      summary: 'Costs of workloads, of stored days',
      parameters: STORED,
      answers: SETS,
    },
    'opencost GET /allocation': computed('Costs of workloads, computed now', SETS),
    'GET /allocation/compute': computed('Costs of workloads, computed now from samples', SETS),
    'GET /allocation/summary': {
      summary: 'Costs of workloads in short, of stored days',
      parameters: STORED,
      answers: SUMMARIES,
    },
    'opencost GET /allocation/summary': computed('The same in short', SUMMARIES),
    'GET /allocation/compute/summary': computed('The same in short, computed now', SUMMARIES),
    'GET /allocation/summary/topline': {
      summary: 'How many rows there are, and what they cost in total',
      parameters: STORED,
      answers: envelope(objectOf({ numResults: NUMBER, combined: named('AllocationSummarySet') })),
    },
    'GET /allocation/trends': {
      summary: 'How costs changed against as many days before',
      parameters: { ...ROWS, shareIdle: word('whether idle is charged to the rows', ['true', 'false', 'weighted', 'separate']) }, // prettier-ignore
      answers: envelope(
        objectOf({
          step: NUMBER,
          sets: listOf(objectOf({ allocationTrends: mapOf(TREND), window: WINDOW })),
          window: WINDOW,
        }),
      ),
    },
    'GET /allocation/autocomplete': autocompleted(
      'Values that a field has in the window',
      text('the field, such as namespace or label:app', 'namespace'),
      'web',
      ALLOCATION_FILTERS,
    ),
    'GET /kubernetes/containers/resources': {
      summary: 'Requests and usage of containers',
      parameters: ROWS,
      answers: envelope(objectOf({ window: WINDOW, items: ITEMS })),
    },
    'GET /kubernetes/containers/resources/timeseries': {
      summary: 'Requests and usage of containers, day by day',
      parameters: ROWS,
      answers: envelope(
        objectOf({
          window: WINDOW,
          timeseries: listOf(objectOf({ window: WINDOW, items: ITEMS })),
        }),
      ),
    },
  },
};
