/** How the route of cost events is described. */
import {
  amount,
  count,
  envelope,
  filters,
  listOf,
  word,
  type DescribedRoom,
} from '../http/index.ts';

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
      answers: envelope(
        listOf({ type: 'object', required: ['eventType', 'resourceType', 'timestamp'] }),
      ),
    },
  },
};
