/** Pods that no node type holds: the resource, the pod and what the largest node type has are named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { demandOfPods } from '../../src/cluster-sizing/demand-of-pods.ts';
import { infeasibleWarnings } from '../../src/cluster-sizing/infeasible.ts';
import type { PodLife } from '../../src/cluster-sizing/pod-lives.ts';
import { recommendNodes } from '../../src/cluster-sizing/recommend.ts';
import { bareMachine, nodeType } from '../support/arbitraries/sizing-demand.ts';

type Size = readonly [cpuCores: number, ramGiB: number, gpus: number];

const pod = (name: string, [cpuCores, ramGiB, gpus]: Size, daemonSet: string = ''): PodLife => ({
  cluster: 'one',
  group: '',
  name: `ml/${name}`,
  daemonSet,
  startMs: 0,
  endMs: 3_600_000,
  size: { cpuCores, ramGiB, gpus },
});
const agent = (...size: Size): PodLife => pod('agent-x', size, 'ml/agent');

const PLAIN = bareMachine(nodeType('plain', 8, 32, 0.3));
const WIDE = bareMachine(nodeType('wide', 2, 64, 0.3));
const GPU = bareMachine({ ...nodeType('gpu', 4, 16, 1), gpus: 4 });
const FULL = bareMachine(nodeType('full', 8, 32, 0.3), 1);

interface Row {
  readonly what: string;
  readonly pods: readonly PodLife[];
  readonly machines: readonly (typeof PLAIN)[];
  readonly targetUtilization?: number;
  readonly warnings: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    what: 'more GPUs than any node has',
    pods: [pod('web', [1, 1, 0]), pod('train', [2, 2, 8])],
    machines: [PLAIN, GPU],
    warnings: ['pod ml/train asks for 8 GPUs: the node type with most, gpu, has 4 GPUs for pods'],
  },
  {
    what: 'GPUs where no node has any',
    pods: [pod('train', [2, 2, 1])],
    machines: [PLAIN, WIDE],
    warnings: ['pod ml/train asks for 1 GPUs: no node type that may be chosen has GPUs'],
  },
  {
    what: 'cores and RAM of two pods, beside a daemon set',
    pods: [pod('a', [8, 1, 0]), pod('b', [1, 64, 0]), agent(0.5, 0.25, 0)],
    machines: [PLAIN, WIDE],
    warnings: [
      'pod ml/a asks for 8 cores: the node type with most, plain, has 8 cores for pods, daemon sets included',
      'pod ml/b asks for 64 GiB of RAM: the node type with most, wide, has 64 GiB of RAM for pods, daemon sets included',
    ],
  },
  {
    what: 'a pod whose resources no one type has together',
    pods: [pod('train', [6, 8, 1])],
    machines: [PLAIN, GPU],
    warnings: [
      'pod ml/train asks for 6 cores and 8 GiB of RAM and 1 GPUs: no node type has all of them',
    ],
  },
  {
    what: 'two pods for whose maxima no one node has room',
    pods: [pod('a', [8, 1, 0]), pod('b', [1, 64, 0])],
    machines: [PLAIN, WIDE],
    warnings: [
      'one node must have room for the largest pod, 8 cores and 64 GiB of RAM (ml/a and ml/b): no node type has both',
    ],
  },
  {
    what: 'a daemon set that is larger than any node',
    pods: [pod('a', [1, 1, 0]), agent(9, 1, 0)],
    machines: [PLAIN, WIDE],
    warnings: [
      'the daemon sets ask each node for 9 cores: the node type with most, plain, has 8 cores for pods',
    ],
  },
  {
    what: 'more daemon sets than a node may have pods',
    pods: [pod('a', [1, 1, 0]), agent(1, 1, 0), pod('log-x', [1, 1, 0], 'ml/log')],
    machines: [FULL],
    warnings: ['no node type has room for the 2 pods that daemon sets run on each node'],
  },
  {
    what: 'a daemon set that takes the whole target share of each node',
    pods: [pod('a', [1, 1, 0]), agent(2, 1, 0)],
    machines: [PLAIN],
    targetUtilization: 0.25,
    warnings: [
      'daemon sets ask each node for 2 cores, and a targetUtilization of 0.25 leaves no pod room beside them: the node type with most, plain, has 8 cores for pods',
    ],
  },
];

describe('no nodes are recommended, and a warning names the reason:', () => {
  for (const { what, pods, machines, targetUtilization = 1, warnings } of ROWS)
    test(what, async () => {
      const demand = demandOfPods(pods);
      const preferences = { targetUtilization, minNodeCount: 1 };
      const { single, multi } = await recommendNodes(machines, demand, preferences);
      assert.deepEqual([single, multi], [undefined, undefined]);
      assert.deepEqual(infeasibleWarnings(machines, demand, preferences), warnings);
    });
});
