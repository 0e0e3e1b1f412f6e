/** Overhead of clusters shared by those who ran there, by hand. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  assertNumbers,
  charged,
  HOUR_MS,
  WINDOW,
  type Row,
} from '../../support/fleets/charged-fleet.ts';

const on = (cluster: string, container: string, more: Row = {}): Row => ({
  cluster, node: 'n', namespace: 'ns', pod: 'p', container, ...more,
}); // prettier-ignore
const six = (cluster: string): Row[] => Array.from({ length: 6 }, (_, i) => on(cluster, `k${i}`));
const management = (cluster: string, cost: number, more: Row = {}): Row => ({
  type: 'ClusterManagement', cluster, name: 'management', cost, ...more,
}); // prettier-ignore
const attached = (cluster: string, node: string, cost: number): Row => ({
  type: 'Disk', cluster, name: node, node, isAttached: 1, cost,
}); // prettier-ignore
const shared = (rows: readonly Row[]): number[] => rows.map((row) => Number(row['sharedCost']));

describe('tenancy', () => {
  test('cluster management of 2 over six containers is a third each, by cluster', () => {
    const rows = [...six('cluster1'), ...six('cluster2')];
    const result = charged(rows, [management('cluster1', 2), management('cluster2', 2)]);
    assertNumbers(
      shared(result.rows),
      Array.from({ length: 12 }, () => 1 / 3),
    );
  });

  test('attached disks of 1, 2 and 3 are shared by their cluster: 1 each, whatever node they are of', () => {
    const rows = [...six('cluster1'), ...six('cluster2')];
    const disks = [attached('cluster2', 'node1', 1), attached('cluster2', 'node2', 2), attached('cluster2', 'node3', 3)]; // prettier-ignore
    const result = charged(rows, disks);
    assertNumbers(shared(result.rows), [
      ...Array.from({ length: 6 }, () => 0),
      ...Array.from({ length: 6 }, () => 1),
    ]);
  });

  test('a persistent volume is not overhead', () => {
    const result = charged(six('c'), [{ type: 'Disk', cluster: 'c', name: 'pv', cost: 9 }]);
    assertNumbers(shared(result.rows), [0, 0, 0, 0, 0, 0]);
  });

  test('by the hours that a container and the asset both ran, and not to idle', () => {
    const rows = [
      on('c', 'whole'),
      on('c', 'half', { endMs: WINDOW.startMs + 6 * HOUR_MS }),
      on('c', 'later', { startMs: WINDOW.startMs + 12 * HOUR_MS }),
      on('c', '__idle__'),
      on('c', '__unmounted__'),
    ];
    const noon = WINDOW.startMs + 12 * HOUR_MS;
    const result = charged(rows, [management('c', 3, { endMs: noon })]);
    assertNumbers(shared(result.rows), [2, 1, 0, 0, 0]);
  });

  test('where no workload ran beside it, what is unmounted bears it, else idle', () => {
    const asset = [management('c', 3)];
    const idle = charged([on('c', '__idle__'), on('d', 'k')], asset);
    assertNumbers(shared(idle.rows), [3, 0]);
    const unmounted = charged([on('c', '__idle__'), on('c', '__unmounted__')], asset);
    assertNumbers(shared(unmounted.rows), [0, 3]);
  });

  test('it is told apart from other shared cost, and comes on top of it', () => {
    const rows = [on('c', 'k', { sharedCost: 5 })];
    const result = charged(rows, [management('c', 2), attached('c', 'n', 1)]);
    assertNumbers(shared(result.rows), [8]);
    assert.equal(result.rows[0]?.['tenancy:clusterManagement'], 2);
    assert.equal(result.rows[0]?.['tenancy:attachedDisks'], 1);
  });

  test('a bill counts where costs are reconciled, and else the list price', () => {
    const asset = [management('c', 2, { providerID: 'eks' })];
    const bill = [{ providerID: 'eks', effectiveCost: 2.4, category: '' }];
    const request = { reconcile: true, shareTenancyCosts: true };
    assertNumbers(shared(charged([on('c', 'k')], asset, bill, request).rows), [2.4]);
    const listed = charged([on('c', 'k')], asset, bill, { ...request, reconcile: false });
    assertNumbers(shared(listed.rows), [2]);
    const none = charged([on('c', 'k')], asset, bill, { ...request, shareTenancyCosts: false });
    assertNumbers(shared(none.rows), [0]);
  });
});
