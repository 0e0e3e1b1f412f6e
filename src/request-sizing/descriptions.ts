/** How the routes of request sizing are described: recommendations, plans, and their execution. */
import { ALLOCATION_FILTERS } from '../allocation/index.ts';
import {
  amount,
  bare,
  BOOLEAN,
  count,
  daysWindow,
  eachOf,
  flag,
  jsonOf,
  listOf,
  mapOf,
  NULLABLE,
  NUMBER,
  objectOf,
  TEXT,
  word,
  type Described,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';
import { PLAN } from './apply/plan-body.ts';
import { rowsShape, recommendationsShape, controllersShape } from './apply/plan-input.ts';
import { UNDO } from './apply/read-bodies.ts';
import { ORDERS } from './recommend/params.ts';
import { ALGORITHMS, SORT_FIELDS } from './recommend/sizing-rules.ts';

const ABOVE_0 = { exclusiveMinimum: 0, maximum: 1 } as const;
const target = (of: string): ReturnType<typeof amount> =>
  amount(`the part of the request of ${of} that is used, after it`, '0.8', ABOVE_0);
const rule = (of: string): ReturnType<typeof word> =>
  word(`how usage of ${of} is summed up`, Object.keys(ALGORITHMS), 'max');
const quantile = (of: string): ReturnType<typeof amount> =>
  amount(`the quantile of usage of ${of}`, '0.95', { ...ABOVE_0, maximum: 100 });

const SIZED: DescribedParameters = {
  ...daysWindow(),
  algorithmCPU: rule('CPU'),
  algorithmRAM: rule('RAM'),
  qCPU: quantile('CPU'),
  qRAM: quantile('RAM'),
  targetCPUUtilization: target('CPU'),
  targetRAMUtilization: target('RAM'),
  targetGPUUtilization: target('GPUs'),
  minRecCPUMillicores: amount('the least that is recommended, in millicores', '10'),
  minRecRAMBytes: amount('the least that is recommended, in bytes', '20971520'),
  sortBy: word('the order of recommendations', SORT_FIELDS, 'totalSavings'),
  sortByOrder: word('the direction of the order', [...ORDERS.keys()], 'descending'),
  limit: count('recommendations at most', '5'),
  offset: count('recommendations before them', '1'),
  includeLabelsAndAnnotations: flag('labels and annotations of each controller', false),
  shape: word('a list alone, or an object with it', ['object', 'array']),
  format: word('how recommendations are written', ['json', 'csv'], 'json'),
  ...ALLOCATION_FILTERS,
};

const pair = (value: Schema): Schema => objectOf({ cpu: value, memory: value });
const three = objectOf(eachOf(['cpu', 'memory', 'total'], NULLABLE));
const NORMALIZED = objectOf({ cpuInMilliCores: NUMBER, memoryInMiB: NUMBER });
const OF_SOME = ['gpu', 'labels', 'annotations'];
const RECOMMENDATION = objectOf(
  {
    ...eachOf(['clusterID', 'namespace', 'controllerKind', 'controllerName', 'containerName'], TEXT),
    ...eachOf(['recommendedRequest', 'latestKnownRequest', 'averageUsage', 'maxUsage'], pair(TEXT)),
    ...eachOf(['monthlySavings', 'currentEfficiency'], three),
    ...eachOf(['normalizedRecommendedRequest', 'normalizedLatestKnownRequest', 'normalizedAverageUsage', 'normalizedMaxUsage'], NORMALIZED),
    gpu: objectOf({
      ...eachOf(['recommendedRequest', 'latestKnownRequest', 'monthlySavings'], NULLABLE),
      ...eachOf(['needed', 'averageUsage', 'largestAverageUsage', 'currentEfficiency'], NULLABLE),
    }),
    ...eachOf(['labels', 'annotations'], mapOf(TEXT)),
  },
  OF_SOME,
); // prettier-ignore
const REQUESTS = objectOf({ cpu: TEXT, ram: TEXT });
const CONTROLLER = objectOf({
  ...eachOf(['name', 'kind', 'namespace', 'clusterId'], TEXT),
  containers: mapOf(
    objectOf({ requests: REQUESTS, currentRequests: REQUESTS, monthlySavings: NULLABLE }),
  ),
});
const LIST = listOf(RECOMMENDATION);
const objectWith = (recommendations: Schema): Schema =>
  bare(
    {
      ...eachOf(['TotalMonthlySavings', 'Count', 'WithoutUsage', 'GPUMonthlySavings'], NUMBER),
      Recommendations: recommendations,
      controllers: listOf(CONTROLLER),
    },
    ['controllers'],
  );
const OBJECT = objectWith(LIST);
const EITHER: Schema = { anyOf: [OBJECT, LIST] };
const TOPLINE = objectWith({ type: 'null' });
const recommended = (summary: string, schema: Schema): Described => ({
  summary,
  parameters: SIZED,
  answers: { ...jsonOf(schema), 'text/csv; charset=utf-8': TEXT },
});

const PLAN_SCHEMA = PLAN.schema;
const resultOf = (more: Readonly<Record<string, Schema>>): Schema =>
  objectOf({
    ...eachOf(['TimeInitiated', 'TimeFinished'], TEXT),
    ...eachOf(['Errors', 'Warnings'], listOf(TEXT)),
    ...more,
  });
const CHANGE = objectOf({
  controller: objectOf(eachOf(['kind', 'namespace', 'name'], TEXT)),
  uid: TEXT,
  steps: listOf(objectOf(eachOf(['container', 'resource', 'from', 'to'], TEXT))),
});
const RUN = objectOf(
  {
    ...eachOf(['id', 'of', 'begun', 'ended'], TEXT),
    what: { enum: ['apply', 'undo'] },
    ...eachOf(['isWhole', 'isRunning'], BOOLEAN),
    changes: listOf(objectOf({ change: CHANGE, outcome: { enum: ['done', 'failed', 'unknown'] } })),
  },
  ['of', 'ended'],
);
const plan: Described = {
  summary: 'The plan that carries out recommendations; it changes nothing',
  body: {
    schema: { anyOf: [rowsShape.schema, recommendationsShape.schema, controllersShape.schema] },
    example: JSON.parse(rowsShape.example) as unknown,
  },
  answers: jsonOf(PLAN_SCHEMA),
};
const ROOT = '/cluster/requestsizer';

export const REQUEST_SIZING_API: DescribedRoom = {
  routes: {
    'GET /savings/requestSizing': recommended('Requests that fit what containers used', EITHER),
    'GET /savings/requestSizingV2': recommended('The same, by average costs', EITHER),
    'GET /savings/requestSizing/topline': recommended('Totals of the recommendations', TOPLINE),
    'GET /savings/requestSizingV2/topline': recommended('The same, by average costs', TOPLINE),
    [`POST ${ROOT}/plan`]: plan,
    [`POST ${ROOT}/planV2`]: plan,
    [`POST ${ROOT}/apply`]: {
      summary: 'Changes requests in the cluster by a plan',
      body: { schema: PLAN_SCHEMA, example: JSON.parse(PLAN.example) as unknown },
      answers: jsonOf(resultOf({ FromPlan: PLAN_SCHEMA })),
    },
    [`POST ${ROOT}/undo`]: {
      summary: 'Takes back what an apply changed, the last one where none is named',
      body: { schema: UNDO.schema, example: {} },
      answers: jsonOf(resultOf({ FromApply: TEXT })),
      errors: [404],
    },
    [`GET ${ROOT}/applies`]: {
      summary: 'What applies and undos did',
      answers: jsonOf(listOf(RUN)),
    },
  },
};
