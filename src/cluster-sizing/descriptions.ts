/** How the routes of cluster sizing are described. */
import {
  amount,
  count,
  daysWindow,
  envelope,
  flag,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  text,
  word,
  type DescribedParameters,
  type DescribedRoom,
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

export const CLUSTER_SIZING_API: DescribedRoom = {
  routes: {
    'GET /savings/clusterSizingETL': {
      summary: 'Nodes that hold the pods of each cluster for the least',
      parameters: SIZED,
      answers: envelope(mapOf({ type: 'object', required: ['recommendations', 'parameters'] })),
    },
    'GET /savings/nodeGroupSizing/recommendations': {
      summary: 'The same, node group by node group',
      parameters: SIZED,
      answers: envelope(
        objectOf({
          totalMonthlySavings: NUMBER,
          recommendations: listOf({ type: 'object', required: ['clusterId', 'nodeGroup'] }),
        }),
      ),
    },
  },
};
