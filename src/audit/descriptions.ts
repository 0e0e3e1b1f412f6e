/** How the route of cost events is described. */
import {
  amount,
  count,
  eachOf,
  envelope,
  filters,
  listOf,
  NUMBER,
  objectOf,
  TEXT,
  word,
  type DescribedRoom,
} from '../http/index.ts';

const EVENT = objectOf({
  eventType: { enum: ['add', 'delete'] },
  resourceType: { enum: ['deployment', 'statefulset'] },
  timestamp: TEXT,
  properties: objectOf(eachOf(['cluster', 'name', 'namespace'], TEXT)),
  totalRequests: objectOf({ cpu: TEXT, memory: TEXT }),
  resourceCosts: objectOf(
    eachOf(['costPerCPUCoreHour', 'costPerRAMByteHour', 'costPerGPUHour'], NUMBER),
  ),
  costPrediction: objectOf(
    eachOf(['totalMonthlyRate', 'cpuMonthlyRate', 'ramMonthlyRate', 'gpuMonthlyRate'], NUMBER),
  ),
});

export const AUDIT_API: DescribedRoom = {
  routes: {
    'GET /audit/events': {
      summary: 'Workloads that came or went, and what they cost a month',
      parameters: {
        count: count('events at most, the newest', '5'),
        ...filters(['filterNamespaces'], ''),
        filterEventTypes: word('what happened', ['add', 'delete']),
        filterResourceTypes: word('what it happened to', ['deployment']),
        filterTotalCostLowerBound: amount('USD a month, at least', '-1', { minimum: -1e12 }),
        filterTotalCostUpperBound: amount('USD a month, at most', '1000', { minimum: -1e12 }),
      },
      answers: envelope(listOf(EVENT)),
    },
  },
};
