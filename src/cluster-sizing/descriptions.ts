/** How the routes of cluster sizing are described. */
import {
  amount,
  BOOLEAN,
  count,
  daysWindow,
  eachOf,
  envelope,
  flag,
  listOf,
  mapOf,
  NULLABLE,
  NUMBER,
  objectOf,
  orNull,
  text,
  TEXT,
  word,
  type DescribedParameters,
  type DescribedRoom,
  type Schema,
} from '../http/index.ts';

const SIZED: DescribedParameters = {
  ...daysWindow('2d'),
  range: text('the same as window', '2024-05-01,2024-05-03'),
  targetUtilization: amount('the part of new nodes that is used, at most', '0.65', { exclusiveMinimum: 0, maximum: 1, default: 0.65 }), // prettier-ignore
  minNodeCount: count('nodes at least', '2', { minimum: 1, maximum: 5000 }),
  allowSharedCore: flag('machines that share cores are offered, too', false),
  architecture: word('the architecture of new nodes; default that of the current ones', ['x86', 'ARM']), // prettier-ignore
  includeOverhead: flag('what system and kubelet reserve is taken off', true),
};

const TYPE = objectOf(
  {
    ...eachOf(['provider', 'name', 'architecture', 'region'], TEXT),
    ...eachOf(['vCPUs', 'RAMGB', 'hourlyPrice', 'GPUs'], NUMBER),
    sharedCore: BOOLEAN,
    ...eachOf(['spotHourlyPrice', 'pricePerRAMByteHr', 'pricePerCPUCoreHr', 'spotPricePerRAMByteHr', 'spotPricePerCPUCoreHr'], NULLABLE),
  },
  ['GPUs'],
); // prettier-ignore
const POOL = objectOf({
  type: TYPE,
  ...eachOf(['count', 'totalMonthlyCost', 'totalRAMGB', 'totalVCPUs', 'podsPerNode', 'overheadRAMGBPerNode', 'overheadVCPUsPerNode'], NUMBER),
}); // prettier-ignore
const OF_GPUS = ['requiredGPUs', 'totalGPUs'];
const NODES = orNull(
  objectOf(
    {
      pools: listOf(POOL),
      ...eachOf(['nodeCount', 'monthlySavings', 'totalMonthlyCost', 'optimalityGap', ...OF_GPUS], NUMBER),
      ...eachOf(['requiredRAMGB', 'totalRAMGB', 'utilizationRAMGB', 'overheadRAMGB'], NUMBER),
      ...eachOf(['requiredVCPUs', 'totalVCPUs', 'utilizationVCPUs', 'overheadVCPUs'], NUMBER),
      isOptimal: BOOLEAN,
    },
    OF_GPUS,
  ),
); // prettier-ignore
const NEEDS = objectOf(
  {
    ...eachOf(['clusterId', 'clusterName'], TEXT),
    ...eachOf(['staticVCPUs', 'staticRAMGB', 'staticGPUs', 'nonDaemonSetPodCount', 'daemonSetVCPUs', 'daemonSetRAMGB'], NUMBER),
    ...eachOf(['daemonSetCount', 'maxPodVCPUs', 'maxPodRAMGB'], NUMBER),
  },
  ['staticGPUs'],
); // prettier-ignore
const CURRENT = objectOf({
  monthlyRate: NUMBER,
  nodes: listOf(
    objectOf({
      ...eachOf(['name', 'provider', 'architecture'], TEXT),
      ...eachOf(['count', 'RAMGB', 'vCPUs'], NUMBER),
    }),
  ),
  totalCounts: objectOf(eachOf(['totalNodeCount', 'totalRAMGB', 'totalVCPUs'], NUMBER)),
});
/** What is told of a cluster, or of a group of its nodes, beside the recommendation. */
const ABOUT: Readonly<Record<string, Schema>> = {
  parameters: NEEDS,
  preferences: objectOf({
    ...eachOf(['minNodeCount', 'targetUtilization'], NUMBER),
    strategies: { type: 'null' },
    ...eachOf(['allowSharedCore', 'includeOverhead'], BOOLEAN),
    architecture: TEXT,
  }),
  currentClusterInfo: CURRENT,
  warnings: listOf(TEXT),
};

export const CLUSTER_SIZING_API: DescribedRoom = {
  routes: {
    'GET /savings/clusterSizingETL': {
      summary: 'Nodes that hold the pods of each cluster for the least',
      parameters: SIZED,
      answers: envelope(
        mapOf(
          objectOf({ recommendations: objectOf({ multi: NODES, single: NODES }), ...ABOUT }, [
            'warnings',
          ]),
        ),
      ),
    },
    'GET /savings/nodeGroupSizing/recommendations': {
      summary: 'The same, node group by node group',
      parameters: SIZED,
      answers: envelope(
        objectOf({
          totalMonthlySavings: NUMBER,
          recommendations: listOf(
            objectOf(
              {
                clusterId: TEXT,
                nodeGroup: TEXT,
                monthlySavings: NULLABLE,
                recommendation: NODES,
                ...ABOUT,
              },
              ['warnings'],
            ),
          ),
        }),
      ),
    },
  },
};
