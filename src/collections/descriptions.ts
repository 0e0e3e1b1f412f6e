/** How the routes of collections are described, under both spellings of their paths. */
import { ALLOCATION_FILTERS } from '../allocation/index.ts';
import {
  bare,
  daysWindow,
  filters,
  flag,
  jsonOf,
  listOf,
  named,
  needed,
  NUMBER,
  objectOf,
  PAGE,
  TEXT,
  text,
  type Described,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';
import { bodyOf } from './collection.ts';
import { configsOf } from './idle.ts';
import { SPELLINGS } from './routes.ts';

const ID = text('the id of a collection', '7b2f6a2e-6d0c-4f0e-9a51-2f3c5c0d9e11');
const CATEGORY = text('all collections of a category', 'Team');
const ONE = { id: needed(ID) };
const COLLECTION = jsonOf(named('Collection'));
const CONFIGS = jsonOf(configsOf.schema);
const BODY = { schema: bodyOf.schema, example: JSON.parse(bodyOf.example) as unknown };
const IDLE = { schema: configsOf.schema, example: JSON.parse(configsOf.example) as unknown };
const KUBERNETES_COST = objectOf({ totalCost: NUMBER, idleCost: NUMBER });
/** Domains without cost are left out. */
const DOMAIN_COSTS = objectOf(
  { kubernetesCost: KUBERNETES_COST, cloudCost: objectOf({ totalCost: NUMBER }) },
  ['kubernetesCost', 'cloudCost'],
);
const COST = objectOf({ totalCost: NUMBER, idleCost: NUMBER, domainCosts: DOMAIN_COSTS }, [
  'idleCost',
]);
const WINDOW = named('Window');

/** One of `id` and `category` is needed. */
const QUERIED: DescribedParameters = { id: ID, category: CATEGORY, ...daysWindow() };
const GROUPS = flag('of one collection: costs of each group, too', false);
const PARTED: DescribedParameters = {
  ...QUERIED,
  collections: flag('of a category: costs of each collection, too', false),
  groups: GROUPS,
};
const OVERLAPS: DescribedParameters = {
  overlaps: flag('of a category: costs that two collections share, and that one has alone', false),
};

const NAMED = objectOf({ id: TEXT, name: TEXT });
const SELECTED = { filterString: TEXT };
const GROUP = {
  selectors: objectOf(
    {
      kubernetes: objectOf({ kind: { const: 'container' }, ...SELECTED }, ['kind']),
      cloud: objectOf(SELECTED),
    },
    ['kubernetes', 'cloud'],
  ),
};
/** The parts of the subject stand beside its cost, where they are asked for. */
const PARTS = ['overlap', 'collections', 'groups'];
const OVERLAPPING = { ids: listOf(TEXT), totalCost: NUMBER };
const PARTED_COST = {
  cost: COST,
  overlap: NUMBER,
  collections: listOf(
    objectOf({ id: TEXT, name: TEXT, cost: COST, aloneCost: NUMBER }, ['aloneCost']),
  ),
  groups: listOf(objectOf({ ...GROUP, cost: COST })),
};
const OVERLAPPING_COST = { ...PARTED_COST, overlaps: listOf(objectOf(OVERLAPPING)) };
/** The report on a collection, or on a category and its collections. */
const reportOf = (data: Schema): Readonly<Record<string, Schema>> =>
  jsonOf({
    anyOf: [
      bare({ id: TEXT, name: TEXT, category: TEXT, window: WINDOW, data }),
      bare({ category: TEXT, collections: listOf(NAMED), window: WINDOW, data }),
    ],
  });
const DAY = objectOf({ window: WINDOW, ...PARTED_COST }, PARTS);
const ITEMS = {
  items: listOf(objectOf({ name: TEXT, cost: NUMBER })),
  itemCount: NUMBER,
};
const COMPLEMENT = jsonOf(
  bare({ window: WINDOW, data: objectOf({ cost: COST, ...ITEMS }, Object.keys(ITEMS)) }),
);

const GROUPED: DescribedParameters = {
  aggregate: text('what costs are itemized by', 'none'),
  ...PAGE,
};

type Spelling = (typeof SPELLINGS)[number];
type Routes = Readonly<Record<string, Described>>;

const errors = [404];

function registryOf(spelling: Spelling): Routes {
  return {
    [`GET ${spelling}`]: {
      summary: 'All collections, those of a category, or one',
      parameters: { id: ID, category: CATEGORY },
      answers: jsonOf({
        anyOf: [objectOf({ collections: listOf(named('Collection')) }), named('Collection')],
      }),
      errors,
    },
    [`POST ${spelling}`]: {
      summary: 'Creates a collection',
      body: BODY,
      answers: COLLECTION,
      errors: [409],
    },
    [`PUT ${spelling}`]: {
      summary: 'Replaces a collection',
      parameters: ONE,
      body: BODY,
      answers: COLLECTION,
      errors: [404, 409, 412],
    },
    [`DELETE ${spelling}`]: {
      summary: 'Removes a collection',
      parameters: ONE,
      answers: COLLECTION,
      errors: [404, 412],
    },
    [`GET ${spelling}/configs`]: { summary: 'Whose idle collections bear', answers: CONFIGS },
    [`PUT ${spelling}/configs`]: {
      summary: 'Says whose idle collections bear',
      body: IDLE,
      answers: CONFIGS,
    },
    [`POST ${spelling}/configs`]: { summary: 'The same', body: IDLE, answers: CONFIGS },
  };
}

function queriesOf(spelling: Spelling): Routes {
  return {
    [`GET ${spelling}/query/total`]: {
      summary: 'What collections cost',
      parameters: { ...PARTED, ...OVERLAPS },
      answers: reportOf(objectOf(OVERLAPPING_COST, [...PARTS, 'overlaps'])),
      errors: [404, 422],
    },
    [`POST ${spelling}/query/total`]: {
      summary: 'What a collection would cost, were it made',
      parameters: { ...daysWindow(), groups: GROUPS },
      body: BODY,
      answers: jsonOf(
        bare({ name: TEXT, category: TEXT, window: WINDOW, data: objectOf(PARTED_COST, PARTS) }),
      ),
    },
    [`GET ${spelling}/query/timeseries`]: {
      summary: 'What collections cost, day by day',
      parameters: PARTED,
      answers: reportOf(objectOf({ timeseries: listOf(DAY) })),
      errors,
    },
    [`GET ${spelling}/query/complement`]: {
      summary: 'The costs that are in no collection',
      parameters: QUERIED,
      answers: COMPLEMENT,
      errors,
    },
    [`GET ${spelling}/query/complement/cloud`]: {
      summary: 'The charges of the bill that are in no collection',
      parameters: { ...QUERIED, ...GROUPED, ...filters(['filter'], 'service:"AmazonEC2"') },
      answers: COMPLEMENT,
      errors,
    },
    [`GET ${spelling}/query/complement/kubernetes`]: {
      summary: 'The workloads that are in no collection',
      parameters: {
        ...QUERIED,
        ...GROUPED,
        ...ALLOCATION_FILTERS,
        splitIdle: flag('idle of each cluster by itself', false),
        idleByNode: flag('idle by node where it is split, and under a filter', false),
      },
      answers: COMPLEMENT,
      errors,
    },
  };
}

export const COLLECTION_API: DescribedRoom = {
  schemas: {
    Collection: objectOf({
      id: TEXT,
      name: TEXT,
      category: TEXT,
      groups: listOf(objectOf(GROUP)),
    }),
  },
  routes: Object.assign(
    {},
    ...SPELLINGS.flatMap((spelling) => [registryOf(spelling), queriesOf(spelling)]),
  ) as DescribedRoom['routes'],
};
