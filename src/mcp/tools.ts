/** The tools that read, each with its route. */
import { at, isFields, namedRowsIn, rowsIn, type Fields, type Read, type Tool } from './tool.ts';
import { factsOf } from './units.ts';

const PAGES = 'limit and offset page through rows, the highest cost first.';
const COSTS = `Costs are USD. ${PAGES} Idle (__idle__) comes on every page.`;
const FILTER =
  'filter selects rows: namespace:"web"+label[app]:"shop","cart" ( : equals, !: not, <~: begins with, + and, | or).';
const WEEK = { window: '7d' } as const;
const SUM: Readonly<Record<string, string>> = {
  ...WEEK,
  aggregate: 'namespace',
  accumulate: 'true',
};

/** The rows in the data of an answer, and all else that it tells; without a name the data are rows. */
function listed(name?: string): Tool['read'] {
  return (answer) => {
    const data = at(answer, 'data');
    const facts = factsOf(answer, ['data']);
    if (name === undefined) return { rows: rowsIn(data), facts };
    return { rows: rowsIn(at(data, name)), facts: { ...facts, ...factsOf(data, [name]) } };
  };
}

/** The sets of an answer, one below the other: each row has its name, its start and its end. */
function sets(answer: unknown, of: string): Read {
  const all = rowsIn(at(answer, 'data', 'sets'));
  const rows = all.flatMap((set) => namedRowsIn(set[of]));
  const window = at(answer, 'data', 'window');
  return { rows, sets: all.length, facts: { ...factsOf(answer, ['data']), window } };
}

/** What a route counts and adds up over all pages. */
function topline(...of: readonly string[]): NonNullable<Tool['readBeside']> {
  return ({ total }) => {
    const count = at(total, 'data', 'numResults');
    const totals = at(total, 'data', 'combined', ...of);
    return {
      ...(typeof count === 'number' ? { totalRows: count } : {}),
      ...(isFields(totals) ? { facts: { totals } } : {}),
    };
  };
}

function trend({ name, trends }: Fields): Fields {
  const change = at(trends, 'costs', 'totalCost', 'relativeChange');
  return {
    name,
    totalCostRelativeChangeRatio: at(change, 'value'),
    // Nothing was there before, or neither then nor now.
    isNew: at(change, 'isInfinite'),
    isNothing: at(change, 'isNaN'),
  };
}

/** A part that is refused tells why, and nothing of the API's form. */
function partsOf(answers: Readonly<Record<string, unknown>>): Fields {
  return Object.fromEntries(
    Object.entries(answers).map(([name, answer]) => {
      const [code, data] = [at(answer, 'code'), at(answer, 'data')];
      if (typeof code === 'number' && code >= 300) return [name, { error: at(answer, 'message') }];
      return [name, data ?? factsOf(answer)];
    }),
  );
}

const summaries: Tool['read'] = (answer) => sets(answer, 'allocations');

export const READING: readonly Tool[] = [
  {
    name: 'allocations',
    title: 'What workloads cost, of stored days',
    says: `What namespaces, controllers, pods, labels or other groups of workloads cost on whole days, from stored days: quick. One row a group; accumulate=day has one row a group and day. ${COSTS} ${FILTER}`,
    route: 'GET /allocation/summary',
    beside: { total: 'GET /allocation/summary/topline' },
    defaults: SUM,
    hasRows: true,
    read: summaries,
    readBeside: topline('allocations', 'total'),
  },
  {
    name: 'allocations_on_demand',
    title: 'What workloads cost, computed now',
    says: `The same computed now from raw samples: for windows of hours (window=6h) or the last minutes. Slower than allocations, which is to be preferred for whole days. ${COSTS} ${FILTER}`,
    route: 'GET /allocation/compute/summary',
    defaults: { ...SUM, window: '24h' },
    hasRows: true,
    read: summaries,
  },
  {
    name: 'allocation_trends',
    title: 'How costs of workloads changed',
    says: 'How the costs of groups of workloads changed against as many days before: totalCostRelativeChangeRatio 0.5 is half as much again, -0.5 half as much. isNew: there was no cost before.',
    route: 'GET /allocation/trends',
    defaults: { ...WEEK, aggregate: 'namespace' },
    hasRows: true,
    read(answer) {
      const { rows = [], facts = {} } = sets(answer, 'allocationTrends');
      return { rows: rows.map(trend), facts };
    },
  },
  {
    name: 'field_values',
    title: 'Values that a field has',
    says: 'The values that a field of workloads has in a window, such as all namespaces or all values of label:app: what filters and aggregate can name.',
    route: 'GET /allocation/autocomplete',
    defaults: { ...WEEK, field: 'namespace' },
    hasRows: true,
    read(answer) {
      const values = at(answer, 'data', 'data');
      const rows = Array.isArray(values) ? values.map((name: unknown) => ({ name })) : [];
      return { rows, facts: factsOf(answer, ['data']) };
    },
  },
  {
    name: 'assets',
    title: 'What there was to pay for',
    says: `Costs of nodes, disks, load balancers, network and cluster management: what the cluster itself costs, by type, provider id, cluster and others. ${PAGES} Costs are USD.`,
    route: 'GET /assets',
    beside: { total: 'GET /assets/topline' },
    defaults: { ...WEEK, aggregate: 'type', accumulate: 'all' },
    hasRows: true,
    read(answer) {
      const data = at(answer, 'data');
      const sets = Array.isArray(data) ? data : [];
      const rows = sets.flatMap(namedRowsIn);
      return { rows, sets: sets.length, facts: factsOf(answer, ['data']) };
    },
    readBeside: topline('assets', 'total'),
  },
  {
    name: 'cloud_costs',
    title: 'What the cloud billed',
    says: `What the cloud billed, of imported bills: all services, not only what Kubernetes uses. kubernetesRatio is the part that Kubernetes used. ${PAGES} Costs are USD.`,
    route: 'GET /cloudCost/view/table',
    beside: { total: 'GET /cloudCost/view/totals' },
    defaults: { ...WEEK, aggregate: 'service' },
    hasRows: true,
    read: listed(),
    readBeside: topline(),
  },
  {
    name: 'external_costs',
    title: 'What external services billed',
    says: `What services outside of the cloud billed, such as monitoring or databases as a service, by domain, account and others. ${PAGES} Costs are USD.`,
    route: 'GET /customCost/total',
    defaults: { ...WEEK, aggregate: 'domain' },
    hasRows: true,
    read: listed('customCosts'),
  },
  {
    name: 'savings',
    title: 'What can be saved a month',
    says: 'What all recommendations together save, in USD a month, no dollar twice: abandoned workloads, request sizing, unclaimed and oversized volumes, nodes. savingsAloneUsdPerMonth is what one saves when nothing else is done.',
    route: 'GET /savings',
    defaults: WEEK,
    hasRows: false,
    read: (answer) => ({ facts: { ...factsOf(answer, ['data']), savings: at(answer, 'data') } }),
  },
  {
    name: 'request_sizing',
    title: 'Requests that fit what containers used',
    says: `Requests of CPU and memory that fit what each container used, what it requests now, and what that saves in USD a month; less than 0: it needs more. ${PAGES.replace('cost', 'saving')} ${FILTER}`,
    route: 'GET /savings/requestSizingV2',
    defaults: WEEK,
    hasRows: true,
    read(answer) {
      const totalRows = at(answer, 'Count');
      const rows = rowsIn(at(answer, 'Recommendations'));
      const facts = factsOf(answer, ['Recommendations', 'Count']);
      return { rows, facts, ...(typeof totalRows === 'number' ? { totalRows } : {}) };
    },
  },
  {
    name: 'predict_cost',
    title: 'What manifests will cost',
    says: 'What Deployments, StatefulSets and Pods of manifests will cost a month of 730 hours, what they cost now, and the change, in USD. Nothing is applied. clusterID is one of the field cluster.',
    route: 'POST /prediction/speccost',
    defaults: { defaultNamespace: 'default', window: '2d' },
    body: {
      name: 'manifests',
      says: 'manifests in YAML of one or more documents, or JSON',
      type: 'application/yaml',
    },
    hasRows: true,
    read: (answer) => ({ rows: rowsIn(answer) }),
  },
  {
    name: 'collections',
    title: 'Groups of rows by name',
    says: 'Collections: named groups of Kubernetes and cloud costs, such as teams or products, with their selectors.',
    route: 'GET /collection',
    hasRows: true,
    read: (answer) => ({
      rows:
        isFields(answer) && 'collections' in answer
          ? rowsIn(answer['collections'])
          : rowsIn([answer]),
    }),
  },
  {
    name: 'data_quality',
    title: 'What numbers of a window lack',
    says: 'How far the answers of a window can be trusted: days that are not stored (isPartial, warnings), whether days are still being read (readiness), where prices of nodes come from, and which bills there are. To be asked before numbers are used, or when they look odd.',
    route: 'GET /allocation/summary/topline',
    beside: {
      readiness: 'GET /readyz',
      priceSources: 'GET /pricingSourceStatus',
      cloudBills: 'GET /cloudCost/status',
      externalBills: 'GET /customCost/status',
    },
    takes: ['window', 'exactWindow'],
    defaults: { ...WEEK, aggregate: 'namespace', accumulate: 'true', verbose: 'true' },
    hasRows: false,
    read: (answer) => ({
      facts: {
        isPartial: at(answer, 'partial') === true,
        ...factsOf(answer, ['data', 'partial']),
        window: at(answer, 'data', 'combined', 'window'),
      },
    }),
    readBeside: (answers) => ({ facts: partsOf(answers) }),
  },
];
