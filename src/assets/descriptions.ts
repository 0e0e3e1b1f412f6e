/** How the routes of assets are described. */
import {
  autocompleted,
  accumulated,
  amount,
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
  PAGE,
  TEXT,
  text,
  word,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';
import { SORTS } from './page.ts';
import { ASSET_FILTERS, UNITS } from './params.ts';

/** Parameters that select assets, on whichever route. */
export const ASSET_FILTER_PARAMETERS: DescribedParameters = filters(
  ASSET_FILTERS.map(([name]) => name),
  'assetType:"node"',
  { filterTypes: 'Node,Disk' },
);

const AGGREGATE = text('what assets are grouped by', 'type');
const ADJUSTED = flag('costs stay at list price, whatever the bill says', false);

const LISTED: DescribedParameters = {
  ...daysWindow(),
  aggregate: AGGREGATE,
  ...accumulated(UNITS, 'none'),
  disableAdjustments: ADJUSTED,
  format: word('csv is accumulated', ['json', 'csv'], 'json'),
  sortBy: word('the order of assets', SORTS),
  sortByOrder: word('the direction of the order', ['desc', 'asc']),
  ...PAGE,
  ...ASSET_FILTER_PARAMETERS,
};

const WINDOW = named('Window');
const BREAKDOWN = objectOf(eachOf(['idle', 'other', 'system', 'user'], NUMBER));

/** Members that only one type of asset has. */
const OF_TYPE: Readonly<Record<string, Schema>> = {
  ...eachOf(
    ['nodeType', 'region', 'storageClass', 'volumeName', 'claimName', 'claimNamespace', 'ip'],
    TEXT,
  ),
  ...eachOf(
    [
      'cpuCores',
      'ramBytes',
      'cpuCoreHours',
      'ramByteHours',
      'GPUHours',
      'gpuCount',
      'byteHours',
      'bytes',
    ],
    NUMBER,
  ),
  ...eachOf(['cpuCost', 'gpuCost', 'ramCost'], NUMBER),
  ...eachOf(['cpuBreakdown', 'ramBreakdown'], BREAKDOWN),
  ...eachOf(['preemptible', 'discount', 'local'], NULLABLE),
  priceSource: { type: ['string', 'null'] },
};
const ASSET: Schema = objectOf(
  {
    type: TEXT,
    properties: mapOf(TEXT),
    labels: mapOf(TEXT),
    window: WINDOW,
    start: TEXT,
    end: TEXT,
    minutes: NUMBER,
    ...OF_TYPE,
    adjustment: NUMBER,
    totalCost: NUMBER,
  },
  Object.keys(OF_TYPE),
); // prettier-ignore
const TOTALS = objectOf({
  name: TEXT,
  ...eachOf(['cpuCost', 'ramCost', 'gpuCost', 'otherCost', 'adjustment', 'totalCost'], NUMBER),
});
const CSV = { 'text/csv; charset=utf-8': TEXT };

export const ASSET_API: DescribedRoom = {
  schemas: { Asset: ASSET },
  routes: {
    'GET /assets': {
      summary: 'What there was to pay for, day by day',
      parameters: LISTED,
      answers: { ...envelope(listOf(mapOf(named('Asset')))), ...CSV },
    },
    'opencost GET /assets': {
      summary: 'What there was to pay for, as one map of the window',
      parameters: {
        ...LISTED,
        includeIdle: flag('changes nothing'),
        step: text('changes nothing', '1d'),
      },
      answers: { ...envelope(mapOf(named('Asset'))), ...CSV },
    },
    'GET /assets/topline': {
      summary: 'How many groups there are, and their total',
      parameters: LISTED,
      answers: envelope(
        objectOf({
          numResults: NUMBER,
          combined: objectOf({ assets: mapOf(named('Asset')), window: WINDOW }),
        }),
      ),
    },
    'GET /assets/totals': {
      summary: 'What all of them cost, by kind of cost',
      parameters: LISTED,
      answers: envelope(objectOf({ numResults: NUMBER, combined: TOTALS })),
    },
    'GET /assets/graph': {
      summary: 'The cost of each group, set by set',
      parameters: LISTED,
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
    'GET /assets/diff': {
      summary: 'What was added, was removed, or changed its cost between two windows',
      parameters: {
        before: needed(text('the earlier window', '2024-05-01,2024-05-02')),
        after: needed(text('the later window', '2024-05-02,2024-05-03')),
        exactWindow: flag('3d is three whole days, today the last; default --window-days'),
        aggregate: AGGREGATE,
        costChangeRatio: amount('the least change that is told, as a part of the cost', '0.1'),
        disableAdjustments: ADJUSTED,
        ...ASSET_FILTER_PARAMETERS,
      },
      answers: envelope(
        listOf(
          objectOf({
            name: TEXT,
            kind: { enum: ['added', 'removed', 'changed'] },
            before: NULLABLE,
            after: NULLABLE,
            change: NUMBER,
            ratio: NULLABLE,
          }),
        ),
      ),
    },
    'GET /assets/autocomplete': autocompleted(
      'Values that a field of assets has in the window',
      text('the field, such as name or label:team', 'name'),
      'gke',
      ASSET_FILTER_PARAMETERS,
    ),
  },
};
