/** Costs as the bill has them, by hand: the interface's rules and the asset sets of OpenCost's tests. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertNumbers,
  charged,
  HOUR_MS,
  sum,
  WINDOW,
  type Row,
} from '../../support/fleets/charged-fleet.ts';

const line = (providerID: string, effectiveCost: number, more: Row = {}): Row => ({
  providerID, category: 'Compute', effectiveCost, ...more,
}); // prettier-ignore
const on = (cluster: string, node: string, pod: string, container: string, more: Row = {}): Row => ({
  cluster, node, namespace: 'namespace1', pod, container, ...more,
}); // prettier-ignore
const idle = (cluster: string, node: string, more: Row = {}): Row => ({
  cluster, node, container: '__idle__', ...more,
}); // prettier-ignore
const node = (cluster: string, name: string, costs: readonly [number, number, number]): Row => {
  const [cpuCost, ramCost, gpuCost] = costs;
  const cost = cpuCost + ramCost + gpuCost;
  return { type: 'Node', cluster, name, node: name, providerID: name, cpuCost, ramCost, gpuCost, cost };
}; // prettier-ignore
const column = (rows: readonly Row[], name: string): number[] =>
  rows.map((row) => Number(row[name]));

describe('nodes', () => {
  test('a bill of 100 for 55, 44 and 11 is 50 of CPU, 40 of RAM and 10 of GPU', () => {
    const rows = [idle('cluster1', 'c1nodes', { cpuCost: 55, ramCost: 44, gpuCost: 11 })];
    const result = charged(rows, [node('cluster1', 'c1nodes', [55, 44, 11])], [line('c1nodes', 100)]);
    assertNumbers(column(result.rows, 'cpuCostAdjustment'), [-5]);
    assertNumbers(column(result.rows, 'ramCostAdjustment'), [-4]);
    assertNumbers(column(result.rows, 'gpuCostAdjustment'), [-1]);
  }); // prettier-ignore

  test('idle is what adjusted nodes cost beyond adjusted allocations: {44, 24, 4} and {44, 34, 4}', () => {
    // Six containers of each cluster come to 6, 16 or 6, and 6; c1nodes' list price is 1.1 of the bill.
    const share = (cpuCost: number, ramCost: number, gpuCost: number): Row => ({
      cpuCost,
      ramCost,
      gpuCost,
    });
    const rows = [
      on('cluster1', 'c1nodes', 'p1', 'a', share(6.6, 17.6, 6.6)),
      idle('cluster1', 'c1nodes', share(48.4, 26.4, 4.4)),
      on('cluster2', 'node1', 'p2', 'b', share(2, 2, 0)),
      on('cluster2', 'node2', 'p3', 'c', share(2, 2, 0)),
      on('cluster2', 'node3', 'p4', 'd', share(2, 2, 6)),
      idle('cluster2', 'node1', share(18, 13, 0)),
      idle('cluster2', 'node2', share(18, 13, 0)),
      idle('cluster2', 'node3', share(8, 8, 4)),
    ];
    const assets = [
      node('cluster1', 'c1nodes', [55, 44, 11]),
      node('cluster2', 'node1', [20, 15, 0]),
      node('cluster2', 'node2', [20, 15, 0]),
      node('cluster2', 'node3', [10, 10, 10]),
    ];
    const bill = [line('c1nodes', 100), line('node1', 35), line('node2', 35), line('node3', 30)];
    const result = charged(rows, assets, bill);
    assert.deepEqual([result.billed, result.billable], [4, 4]);
    const ofIdle = (cluster: string): number[] =>
      ['cpuCost', 'ramCost', 'gpuCost'].map((name) => {
        const own = result.rows.filter(
          (row) => row['cluster'] === cluster && row['container'] === '__idle__',
        );
        return sum(own, [name, `${name}Adjustment`]);
      });
    assertNumbers(ofIdle('cluster1'), [44, 24, 4]);
    assertNumbers(ofIdle('cluster2'), [44, 34, 4]);
  });

  test('where allocations exceed a node they share what was billed, and nothing is idle', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { cpuCost: 6 }),
      on('c', 'n', 'p', 'b', { cpuCost: 9 }),
      idle('c', 'n', { ramCost: 10 }),
    ];
    const result = charged(rows, [node('c', 'n', [10, 10, 0])], [line('n', 40)]);
    assertNumbers(column(result.rows, 'cpuCostAdjustment'), [2, 3, 0]);
    assertNumbers(column(result.rows, 'ramCostAdjustment'), [0, 0, 10]);
    assertNumbers([sum(result.rows)], [40]);
  });

  test('a node without list prices is divided by hours', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { cpuCoreHours: 6 }),
      idle('c', 'n', { cpuCoreHours: 18, ramByteHours: 100 }),
    ];
    const free = { ...node('c', 'n', [0, 0, 0]), cpuCoreHours: 24, ramByteHours: 100 };
    const result = charged(rows, [free], [line('n', 16)]);
    assertNumbers(column(result.rows, 'cpuCostAdjustment'), [2, 6]);
    assertNumbers(column(result.rows, 'ramCostAdjustment'), [0, 8]);
  });

  test('what no bill tells of stays at its list price', () => {
    const rows = [on('c', 'n', 'p', 'a', { cpuCost: 6 }), idle('c', 'n', { cpuCost: 4 })];
    const result = charged(rows, [node('c', 'n', [10, 0, 0])], [line('other', 40)]);
    assert.deepEqual([result.billed, result.billable], [0, 1]);
    assertNumbers(column(result.rows, 'cpuCostAdjustment'), [0, 0]);
  });

  test('a line counts by the part of its time that lies in the set', () => {
    const rows = [on('c', 'n', 'p', 'a', { cpuCost: 10 })];
    const bill = [
      line('n', 8, { startMs: WINDOW.startMs - 12 * HOUR_MS, endMs: WINDOW.startMs + 12 * HOUR_MS }),
      line('n', 100, { startMs: WINDOW.endMs, endMs: WINDOW.endMs + HOUR_MS }),
    ];
    const result = charged(rows, [node('c', 'n', [10, 0, 0])], bill);
    assertNumbers([sum(result.rows)], [4]);
  }); // prettier-ignore
});

describe('volumes', () => {
  test('adjustments go by byte-hours: 1 and 3 over two containers are .5 and 1.5 each', () => {
    const pvs = JSON.stringify({
      'cluster=c:name=disk1': { byteHours: 2.5, cost: 2.5, providerID: '', adjustment: 0 },
      'cluster=c:name=disk2': { byteHours: 5, cost: 5, providerID: '', adjustment: 0 },
    });
    const rows = ['container4', 'container5'].map((name) => on('c', 'n', 'pod-mno', name, { pvCost: 7.5, pvs }));
    const disk = (name: string, cost: number): Row => ({ type: 'Disk', cluster: 'c', name, providerID: name, cost });
    const result = charged(rows, [disk('disk1', 5), disk('disk2', 10)], [line('disk1', 6), line('disk2', 13)]); // prettier-ignore
    assertNumbers(column(result.rows, 'pvCostAdjustment'), [2, 2]);
    const told = JSON.parse(String(result.rows[0]?.['pvs'])) as Record<string, { adjustment: number }>;
    assertNumbers(Object.values(told).map(({ adjustment }) => adjustment), [0.5, 1.5]);
  }); // prettier-ignore
});

describe('load balancers', () => {
  const behind = (pod: string, container: string, ...services: string[]): Row =>
    on('c', 'n', pod, container, { namespace: 'namespace2', services: JSON.stringify(services) });
  const balancer = (service: string, cost: number): Row => ({
    type: 'LoadBalancer', cluster: 'c', name: `namespace2/${service}`, providerID: service, cost,
  }); // prettier-ignore

  test('10 over two containers is 5 each, 15 is 7.5 each, and one may bear of both', () => {
    const rows = [
      { ...behind('pod-mno', 'container4', 'lb1'), loadBalancerCost: 1 },
      { ...behind('pod-mno', 'container5', 'lb2'), loadBalancerCost: 1 },
      { ...behind('pod-pqr', 'container6', 'lb1', 'lb2'), loadBalancerCost: 2 },
    ];
    const result = charged(rows, [balancer('lb1', 2), balancer('lb2', 2)], [line('lb1', 10), line('lb2', 15)]); // prettier-ignore
    const costs = result.rows.map((row) => sum([row]));
    assertNumbers(costs, [5, 7.5, 12.5]);
  });

  test('by the hours that a container and the load balancer both ran', () => {
    const half = { startMs: WINDOW.startMs, endMs: WINDOW.startMs + 12 * HOUR_MS };
    const rows = [
      behind('a', 'k', 'lb1'),
      { ...behind('b', 'k', 'lb1'), endMs: WINDOW.startMs + 6 * HOUR_MS },
      { ...behind('d', 'k', 'lb1'), startMs: half.endMs },
    ];
    const result = charged(rows, [{ ...balancer('lb1', 0), ...half }], [line('lb1', 9)]);
    assertNumbers(column(result.rows, 'loadBalancerCostAdjustment'), [6, 3, 0]);
  });

  test('what nobody is behind is charged to what its cluster leaves unmounted', () => {
    const rows = [
      on('c', 'n', 'p', 'a'),
      on('c', '', '', '__unmounted__', { loadBalancerCost: 2 }),
    ];
    const result = charged(rows, [balancer('lb1', 2)], [line('lb1', 3)]);
    assertNumbers(column(result.rows, 'loadBalancerCostAdjustment'), [0, 1]);
  });
});

describe('networks', () => {
  const network = (name: string): Row => ({
    type: 'Network',
    cluster: 'c',
    node: name,
    providerID: `net-${name}`,
  });

  test('without the network’s own metrics by usage hours: 3 over six equal containers is .5 each', () => {
    const rows = Array.from({ length: 6 }, (_, i) => on('c', 'c1nodes', 'p', `container${i}`));
    const result = charged(rows, [network('c1nodes')], [line('net-c1nodes', 3)]);
    assertNumbers(
      column(result.rows, 'networkCostAdjustment'),
      Array.from({ length: 6 }, () => 0.5),
    );
  });

  test('each node’s network over its own containers: 2, 2.5 and 1 each', () => {
    const nodes = ['node1', 'node2', 'node3'];
    const rows = nodes.flatMap((name) =>
      ['a', 'b'].map((container) => on('c', name, 'p', container)),
    );
    const bill = [line('net-node1', 4), line('net-node2', 5), line('net-node3', 2)];
    const result = charged(rows, nodes.map(network), bill);
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [2, 2, 2.5, 2.5, 1, 1]);
  });

  test('in proportion to the traffic where some is priced', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { networkCost: 1 }),
      on('c', 'n', 'p', 'b', { networkCost: 3 }),
      on('c', 'n', 'p', 'd'),
    ];
    const result = charged(rows, [network('')], [line('net-', 8)]);
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [1, 3, 0]);
  });

  test('by the bytes sent where only other traffic of the cluster has a price', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { networkTransferBytes: 100 }),
      on('c', 'n', 'p', 'b', { networkTransferBytes: 300 }),
      on('c', 'm', 'p', 'd', { networkCost: 1, networkTransferBytes: 5 }),
    ];
    const result = charged(rows, [network('n')], [line('net-n', 8)]);
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [2, 6, 0]);
  });

  test('by the bytes of egress where its price is 0: the network’s own metrics were there', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { networkEgressBytes: 100, networkTransferBytes: 500 }),
      on('c', 'n', 'p', 'b', { networkEgressBytes: 300, networkTransferBytes: 500 }),
      on('c', 'm', 'p', 'd', { networkTransferBytes: 30 }),
      on('c', 'm', 'p', 'e', { networkTransferBytes: 10 }),
    ];
    const result = charged(rows, [network('n'), network('m')], [line('net-n', 8), line('net-m', 4)]); // prettier-ignore
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [2, 6, 3, 1]);
  });

  test('by hours where other bytes alone are told: those are no metrics of the network', () => {
    const rows = [
      on('c', 'n', 'p', 'a', { networkTransferBytes: 100 }),
      on('c', 'n', 'p', 'b', { networkTransferBytes: 300 }),
      on('other', 'n', 'p', 'd', { networkEgressBytes: 1 }),
    ];
    const result = charged(rows, [network('n')], [line('net-n', 8)]);
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [4, 4, 0]);
  });

  test('traffic billed under a node’s id is the node’s network, and not the node', () => {
    const rows = [on('c', 'n', 'p', 'a', { cpuCost: 5 }), on('c', 'n', 'p', 'b', { cpuCost: 5 })];
    const bill = [line('n', 20), line('n', 3, { category: 'Networking' })];
    const result = charged(rows, [node('c', 'n', [10, 0, 0])], bill);
    assertNumbers(column(result.rows, 'cpuCostAdjustment'), [5, 5]);
    assertNumbers(column(result.rows, 'networkCostAdjustment'), [1.5, 1.5]);
  });
});

describe('resources of Azure that are billed together', () => {
  const group = '/subscriptions/S/resourceGroups/MC_rg/providers';
  const scaleSet = `${group}/Microsoft.Compute/virtualMachineScaleSets/aks-a-1-vmss`;
  const machine = (name: string, place: number, usd: number): Row => ({
    ...node('c', name, [usd, 0, 0]),
    providerID: `azure://${scaleSet}/virtualMachines/${place}`,
  });
  const balancer = (name: string, cluster = 'c'): Row => ({
    type: 'LoadBalancer', cluster, name, cost: 0.6, providerID: '20.1.2.3',
  }); // prettier-ignore
  const rows = [
    idle('c', 'n0', { cpuCost: 6 }),
    idle('c', 'n1', { cpuCost: 2 }),
    on('c', 'n0', 'p', 'a', { services: '["web"]', loadBalancerCost: 0.6 }),
  ];
  const assets = [machine('n0', 0, 6), machine('n1', 1, 2), balancer('namespace1/web')];
  const ofMachine = (place: number, usd: number): Row =>
    line(`${scaleSet.toLowerCase()}/virtualmachines/${place}`, usd);
  const network = `${group}/Microsoft.Network`;
  const cases: readonly (readonly [
    what: string,
    bill: readonly Row[],
    nodes: readonly number[],
    balancerUsd: number,
    billed: number,
  ])[] = [
    ['machines have the lines of their own', [ofMachine(0, 3), ofMachine(1, 4)], [3, 4], 0.6, 2],
    ['lines of the scale set are divided by list price', [line(scaleSet, 4)], [3, 1], 0.6, 2],
    ['lines of the scale set are added to those of machines', [ofMachine(0, 3), ofMachine(1, 4), line(scaleSet.toUpperCase(), 0.8)], [3.6, 4.2], 0.6, 2],
    ['a machine without lines has no part of what the others share', [ofMachine(0, 3), line(scaleSet, 0.8)], [3.8, 2], 0.6, 1],
    ['another scale set is none of theirs', [line(`${scaleSet}2`, 4)], [6, 2], 0.6, 0],
    ['balancers and addresses of the cluster are its services’', [line(`${network}/loadBalancers/kubernetes`, 0.5, { category: 'Networking' }), line(`${network}/publicIPAddresses/kubernetes-a0b1c2d3`, 0.1)], [6, 2], 0.6, 1],
    ['internal balancers are, too', [line(`${network.toLowerCase()}/loadbalancers/kubernetes-internal`, 0.2)], [6, 2], 0.2, 1],
    ['other addresses of the group are not', [line(`${network}/publicIPAddresses/0a1b-guid`, 0.1), line(`${network}/loadBalancers/own`, 1)], [6, 2], 0.6, 0],
    ['balancers of another group are not', [line(`${network.replace('MC_rg', 'other')}/loadBalancers/kubernetes`, 1)], [6, 2], 0.6, 0],
  ]; // prettier-ignore
  for (const [what, bill, nodes, balancerUsd, billed] of cases)
    test(what, () => {
      const result = charged(rows, assets, bill);
      assert.equal(result.billed, billed);
      const [first = {}, second = {}, served = {}] = result.rows;
      const usd = (row: Row, name: string): number =>
        Number(row[name]) + Number(row[`${name}Adjustment`]);
      assertNumbers([usd(first, 'cpuCost'), usd(second, 'cpuCost')], nodes);
      assertNumbers([usd(served, 'loadBalancerCost')], [balancerUsd]);
    });

  test('several services share a balancer by what each costs by list', () => {
    const services = ['web', 'api'].map((name) => balancer(`namespace1/${name}`));
    const both = ['web', 'api'].map((name) =>
      on('c', 'n0', name, 'a', { services: JSON.stringify([name]), loadBalancerCost: 0.6 }),
    );
    const bill = [line(`${network}/loadBalancers/kubernetes`, 0.6)];
    const result = charged(both, [machine('n0', 0, 6), ...services], bill);
    assertNumbers(column(result.rows, 'loadBalancerCostAdjustment'), [-0.3, -0.3]);
  });
});
