/** Pools of nodes of the demo fleet: two clusters, twenty nodes, with prices such as clouds ask. */
const GIB = 2 ** 30;

export interface NodePool {
  readonly cluster: string;
  readonly name: string;
  readonly nodes: number;
  readonly instanceType: string;
  readonly region: string;
  readonly cores: number;
  readonly ramBytes: number;
  readonly gpus: number;
  readonly cpuCoreHourUsd: number;
  readonly ramGiBHourUsd: number;
  readonly gpuHourUsd: number;
  /** Spot nodes are taken away, and their price changes on Wednesdays at noon UTC. */
  readonly isSpot: boolean;
}

const PRODUCTION = { cluster: 'production', region: 'us-east-1' };
const DEVELOPMENT = { cluster: 'development', region: 'europe-west1' };

/** Per core-hour and GiB-hour. */
function usd(cpuCoreHourUsd: number, ramGiBHourUsd: number, gpuHourUsd: number = 0): Prices {
  return { cpuCoreHourUsd, ramGiBHourUsd, gpuHourUsd };
}

type Prices = Pick<NodePool, 'cpuCoreHourUsd' | 'ramGiBHourUsd' | 'gpuHourUsd'>;

export const POOLS: readonly NodePool[] = [
  {
    ...PRODUCTION,
    ...of('m6i.2xlarge', 8, 32),
    ...usd(0.03478, 0.00468),
    name: 'general',
    nodes: 7,
  },
  {
    ...PRODUCTION,
    ...of('r6i.2xlarge', 8, 64),
    ...usd(0.03478, 0.00447),
    name: 'memory',
    nodes: 3,
  },
  {
    ...PRODUCTION,
    ...of('c6i.2xlarge', 8, 16),
    ...usd(0.01332, 0.00181),
    name: 'spot',
    nodes: 4,
    isSpot: true,
  },
  {
    ...PRODUCTION,
    ...of('g5.2xlarge', 8, 32, 1),
    ...usd(0.03161, 0.00424, 0.95),
    name: 'gpu',
    nodes: 2,
  },
  {
    ...DEVELOPMENT,
    ...of('e2-standard-4', 4, 16),
    ...usd(0.02181, 0.00292),
    name: 'default',
    nodes: 4,
  },
];

type Machine = Pick<NodePool, 'instanceType' | 'cores' | 'ramBytes' | 'gpus' | 'isSpot'>;

function of(instanceType: string, cores: number, ramGiB: number, gpus: number = 0): Machine {
  return { instanceType, cores, ramBytes: ramGiB * GIB, gpus, isSpot: false };
}
