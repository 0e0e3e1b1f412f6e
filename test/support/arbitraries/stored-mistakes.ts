/** What can be wrong, and right, in the parameters of the allocation query over stored sets. */

const ITEMS = 10_000;

export interface Mistakes {
  /** Values that are refused; the message repeats what came, or the item that is wrong. */
  readonly refused: readonly (string | readonly [value: string, shows: string, status?: number])[];
  /** Values that are answered. */
  readonly accepted: readonly string[];
}

const NOT_NUMBERS = ['ten', '-1', '1e309', 'NaN', 'Infinity', '0x10', '1,5', '1 2', '٣', ' ', '--'];
const FLAG: Mistakes = {
  refused: ['maybe', 'yess', '2', '-1', 'truefalse', ' ', 'null', '[]', '__proto__'],
  accepted: ['1', 't', 'TRUE', '0', 'f', 'False'],
};
const WORDS = ['nothing', '0', '-1', ' ', '__proto__', 'constructor', 'toString'];
const COUNT: Mistakes = {
  refused: [...NOT_NUMBERS, '1.5', '1e3', '99999999999999999999'],
  accepted: ['0', '1', '007', '999999999999999'],
};
const manyItems = (item: (i: number) => string, items: number = ITEMS): string =>
  Array.from({ length: items }, (_, i) => item(i)).join(',');
/** Two letters, of nearly four thousand. */
const pair = (i: number): string => `${letter(i)}${letter(i / 62)}`;
const letter = (i: number): string =>
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'[Math.floor(i) % 62] ?? 'a';
const LIST: Mistakes = {
  refused: [],
  accepted: ['nowhere', '*', 'a*', ',', ',,a,', ' ', '"', "'", '=1+1', '__proto__', manyItems(pair)], // prettier-ignore
};
const PAIRS: Mistakes = {
  refused: [
    'shop',
    'app:',
    [manyItems(() => 'a'), "'a'"],
    ['app:shop,shop', "'shop'"],
    [':shop', "':shop'"],
    '__proto__',
  ],
  accepted: [
    'app:shop',
    'app:*',
    'app: shop ',
    '__proto__:x',
    'constructor:c',
    'a-b:1',
    manyItems((i) => `a:${letter(i)}`, 8000),
  ],
};

/** Every parameter of the endpoint. */
export const MISTAKES: Readonly<Record<string, Mistakes>> = {
  aggregate: {
    refused: [
      'foo',
      ['namespace,foo', "'foo'"],
      ['label', "'label'"],
      'label:',
      'pod:x',
      '__proto__',
      'constructor',
      '"pod"',
      [manyItems(pair), "'aa'"],
      [Array.from({ length: 33 }, (_, i) => `label:l${i}`).join(','), 'label:l0'],
    ],
    accepted: ['none', 'NAMESPACE', 'pod,pod', ',', 'label:__proto__,label:constructor', 'label:a-b,label:a_b'], // prettier-ignore
  },
  accumulate: {
    refused: ['maybe', 'quarters', 'year', '2', '-1', '__proto__'],
    accepted: [
      'true',
      'false',
      'all',
      'none',
      'hour',
      'Day',
      'week',
      'month',
      'quarter',
      'weeknow',
      '1',
      '0',
      ' ',
    ],
  },
  idle: FLAG,
  includeIdle: FLAG,
  splitIdle: FLAG,
  idleByNode: FLAG,
  external: FLAG,
  reconcile: FLAG,
  shareTenancyCosts: FLAG,
  includeSharedCostBreakdown: FLAG,
  shareIdle: { ...FLAG, accepted: [...FLAG.accepted, 'weighted', 'Proportional', 'separate'] },
  filter: {
    refused: [
      ['colour:"red"', 'colour'],
      ['namespace', 'the end'],
      ['namespace:', 'the end'],
      ['namespace:"web', 'the end at character 15'],
      ['namespace:"web")', ')'],
      ['(namespace:"web"', "the end at character 17 is not ')'"],
      ['namespace:"a"+pod:"b"|node:"c"', '|'],
      ['label[]:"x"', "'[]' at character 6"],
      ['__proto__:"x"', "'_' at character 1"],
      ['('.repeat(1000), 'not within 100 open parentheses'],
      [Array.from({ length: 501 }, (_, i) => `label[l${i}]:"x"`).join('+'), '501'],
    ],
    accepted: ['namespace:"web"', 'namespace:web', ' ', 'label[__proto__]:"x"', `namespace:${manyItems(pair)}`], // prettier-ignore
  },
  filterClusters: LIST,
  filterNodes: LIST,
  filterNamespaces: LIST,
  filterControllerKinds: LIST,
  filterControllers: {
    ...LIST,
    refused: [':', ['a,:b', "':b'"]],
    accepted: [...LIST.accepted, 'deployment:web', 'a:b:c'],
  },
  filterPods: LIST,
  filterContainers: LIST,
  filterServices: LIST,
  filterDepartments: LIST,
  filterEnvironments: LIST,
  filterOwners: LIST,
  filterProducts: LIST,
  filterTeams: LIST,
  filterLabels: PAIRS,
  filterAnnotations: PAIRS,
  shareNamespaces: LIST,
  shareLabels: PAIRS,
  shareCost: {
    refused: [...NOT_NUMBERS, '$5', '1e400', '-0.01'],
    accepted: ['0', '.5', '5.', '30.42', '1e3'],
  },
  shareSplit: { refused: WORDS, accepted: ['even', 'Weighted'] },
  costMetric: { refused: WORDS, accepted: ['cumulative', 'HOURLY', 'daily', 'monthly'] },
  limit: COUNT,
  offset: COUNT,
  sortBy: { refused: WORDS, accepted: ['name', 'totalCost', 'CPUCOST'] },
  sortByOrder: { refused: WORDS, accepted: ['asc', 'DESC'] },
  format: { refused: [...WORDS, 'xml', 'pdf', 'json,csv'], accepted: ['json', ' JSON '] },
  columns: { refused: WORDS, accepted: ['summary', 'Full'] },
  decimals: { refused: [...NOT_NUMBERS, '21', '100', '1.5'], accepted: ['0', '20', '03'] },
};

export const WINDOW_MISTAKES: Mistakes['refused'] = [
  'whenever',
  ' ',
  '0d',
  '-7d',
  '1e309s',
  '7d offset',
  '7d offset 1d offset 1d',
  '2024-05-02,2024-05-01',
  '2024-05-01T00:00:00Z',
  ['2024-05-02T00:00:00Z,2024-05-01T00:00:00Z', '2024-05-02'],
  ['2024-05-01T00:00:00Z,2024-05-01T00:00:00Z', '2024-05-01'],
  ['1714557600000,1714561200000', '1714557600000'],
  '__proto__',
  [','.repeat(1000), '(1000 characters)'],
  ['0,253402300799', '36525 days', 422],
];
