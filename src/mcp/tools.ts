/** The tools, each with its route. */
import { at, isFields, rowsIn, type Read, type Tool } from './tool.ts';
import { factsOf } from './units.ts';

const COSTS =
  'Costs are USD. limit and offset page through rows, the highest cost first; idle (__idle__) comes on every page.';
const SUM: Readonly<Record<string, string>> = {
  window: '7d',
  aggregate: 'namespace',
  accumulate: 'true',
};

/** The sets of an answer in short, one below the other: each row has its start and end. */
function summaries(answer: unknown): Read {
  const rows = rowsIn(at(answer, 'data', 'sets')).flatMap((set) =>
    Object.values(isFields(set['allocations']) ? set['allocations'] : {}),
  );
  return {
    rows: rowsIn(rows),
    facts: { ...factsOf(answer, ['data']), window: at(answer, 'data', 'window') },
  };
}

/** What a route counts and adds up over all pages. */
function topline(of: string): NonNullable<Tool['readBeside']> {
  return ({ total }) => {
    const count = at(total, 'data', 'numResults');
    const totals = at(total, 'data', 'combined', of, 'total');
    return {
      ...(typeof count === 'number' ? { totalRows: count } : {}),
      ...(isFields(totals) ? { facts: { totals } } : {}),
    };
  };
}

export const TOOLS: readonly Tool[] = [
  {
    name: 'allocations',
    title: 'What workloads cost, of stored days',
    says: `What namespaces, controllers, pods, labels or other groups of workloads cost on whole days, from stored days: quick. One row a group; set accumulate to day for one row a group and day. ${COSTS}`,
    route: 'GET /allocation/summary',
    beside: { total: 'GET /allocation/summary/topline' },
    defaults: SUM,
    hasRows: true,
    read: summaries,
    readBeside: topline('allocations'),
  },
  {
    name: 'allocations_on_demand',
    title: 'What workloads cost, computed now',
    says: `The same computed now from raw samples: for windows of hours (window=6h) or the last minutes. Slower than allocations, which is to be preferred for whole days. ${COSTS}`,
    route: 'GET /allocation/compute/summary',
    defaults: { window: '24h', aggregate: 'namespace', accumulate: 'true' },
    hasRows: true,
    read: summaries,
  },
];
