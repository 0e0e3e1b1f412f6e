/** The node types that a cluster may choose from, by the place and architecture of its nodes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CurrentNode } from '../../src/cluster-sizing/current-nodes.ts';
import { offerFor } from '../../src/cluster-sizing/offers.ts';
import type { NodeType } from '../../src/pricing/index.ts';
import { nodeType } from '../support/arbitraries/sizing-demand.ts';

function offered(name: string, more: Partial<NodeType>): NodeType {
  return { ...nodeType(name, 2, 8, 0.1), provider: 'AWS', region: 'us-east-1', ...more };
}

const PRICES: readonly NodeType[] = [
  offered('m5.large', {}),
  offered('m6g.large', { architecture: 'ARM' }),
  offered('t3.large', { isSharedCore: true }),
  offered('m5.large', { region: 'eu-west-1' }),
  offered('e2-standard-2', { provider: 'GCP', region: 'us-west1' }),
  offered('t2a-standard-2', { provider: 'GCP', region: 'us-west1', architecture: 'ARM' }),
  offered('rack', { provider: '', region: '' }),
];

function node(more: Partial<CurrentNode>): CurrentNode {
  const size = { cpuCores: 2, ramGiB: 8, gpus: 0 };
  return {
    cluster: 'c',
    group: '',
    type: '',
    provider: 'AWS',
    region: 'us-east-1',
    arch: '',
    size,
    usdPerHour: 0.1,
    ...more,
  };
}

const EITHER = { allowSharedCore: false, architecture: '' } as const;

interface Row {
  readonly what: string;
  readonly nodes: readonly CurrentNode[];
  readonly accepted?: Parameters<typeof offerFor>[2];
  readonly arm?: string;
  readonly prices?: typeof PRICES;
  readonly names: readonly string[];
  readonly warning?: RegExp;
}

const ROWS: readonly Row[] = [
  {
    what: 'types of the provider and region, and those of no place, of x86 and their own cores',
    nodes: [node({})],
    names: ['m5.large', 'rack'],
  },
  {
    what: 'providers and regions in any case',
    nodes: [node({ provider: 'aws', region: 'US-EAST-1' })],
    names: ['m5.large', 'rack'],
  },
  {
    what: 'shared cores where they are allowed',
    nodes: [node({})],
    accepted: { allowSharedCore: true, architecture: '' },
    names: ['m5.large', 't3.large', 'rack'],
  },
  {
    what: 'ARM where nodes are of ARM, by label or type',
    nodes: [node({ arch: 'arm64' }), node({ type: 'm6g.large' })],
    names: ['m6g.large'],
  },
  {
    what: 'both where nodes are of both',
    nodes: [node({ arch: 'arm64' }), node({ arch: 'amd64' })],
    names: ['m5.large', 'm6g.large', 'rack'],
  },
  {
    what: 'ARM where it is requested',
    nodes: [node({})],
    accepted: { allowSharedCore: false, architecture: 'ARM' },
    names: ['m6g.large'],
  },
  {
    what: 'x86 where it is requested',
    nodes: [node({ arch: 'arm64' })],
    accepted: { allowSharedCore: false, architecture: 'x86' },
    names: ['m5.large', 'rack'],
  },
  {
    what: 'no ARM in another cloud',
    nodes: [node({ provider: 'GCP', region: 'us-west1' })],
    accepted: { allowSharedCore: false, architecture: 'ARM' },
    names: [],
    warning: /ARM is recommended for clusters of AWS alone/,
  },
  {
    what: 'but where that is the one configured',
    nodes: [node({ provider: 'GCP', region: 'us-west1' })],
    accepted: { allowSharedCore: false, architecture: 'ARM' },
    arm: 'gcp',
    names: ['t2a-standard-2'],
  },
  {
    what: 'what is of no place, where the region has no prices',
    nodes: [node({ region: 'sa-east-1' })],
    names: ['rack'],
  },
  {
    what: 'nothing where all types there are have shared cores',
    nodes: [node({ region: 'eu-west-1' })],
    prices: PRICES.filter(({ name }) => name === 't3.large').map((type) => ({
      ...type,
      region: '',
    })),
    names: [],
    warning:
      /^none of the 1 node types here is x86 without shared cores \(allowSharedCore=false\)$/,
  },
  {
    what: 'nothing of several regions',
    nodes: [node({}), node({ region: 'eu-west-1' })],
    names: [],
    warning: /several regions: eu-west-1, us-east-1/,
  },
  {
    what: 'nothing of several providers',
    nodes: [node({}), node({ provider: 'GCP' })],
    names: [],
    warning: /several providers: AWS, GCP/,
  },
  {
    what: 'nothing of nowhere',
    nodes: [node({ provider: '', region: '' })],
    names: [],
    warning: /neither the provider nor the region/,
  },
];

describe('a cluster may choose', () => {
  for (const {
    what,
    nodes,
    accepted = EITHER,
    prices = PRICES,
    arm = 'AWS',
    names,
    warning,
  } of ROWS)
    test(what, () => {
      const { types, warnings } = offerFor(prices, nodes, accepted, arm);
      assert.deepEqual(
        types.map(({ name }) => name),
        names,
      );
      if (warning === undefined) assert.deepEqual(warnings, []);
      else assert.match(warnings.join(), warning);
    });
});

test('a region without prices has a warning, unless types are offered everywhere', () => {
  const placed = PRICES.filter(({ provider }) => provider !== '');
  const { types, warnings } = offerFor(placed, [node({ region: 'sa-east-1' })], EITHER, 'AWS');
  assert.deepEqual(types, []);
  assert.match(warnings.join(), /no prices are known of node types of AWS sa-east-1: --node-types/);
});
