/** Labels of nodes beside those of pods. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withNodeLabels } from '../../../src/allocation/row/node-labels.ts';

const NODE = { instanceType: 'm5.large', region: 'us-east-2', zone: 'us-east-2a', nodePool: 'web' };
const ID = 'aws:///us-east-2a/i-0fea4fd46592d050b';
const ON_NODE =
  '"node_kubernetes_io_instance_type":"m5.large","topology_kubernetes_io_region":"us-east-2",' +
  '"topology_kubernetes_io_zone":"us-east-2a","eks_amazonaws_com_nodegroup":"web"';
const NOWHERE = { instanceType: '', region: '', zone: '', nodePool: '' };

describe('labels that', () => {
  test('a pod has come before those of its node', () => {
    assert.equal(withNodeLabels('{"a":"b"}', { ...NODE, providerID: ID }), `{"a":"b",${ON_NODE}}`);
  });
  test('a node has are there where its pod has none', () => {
    assert.equal(withNodeLabels('', { ...NODE, providerID: ID }), `{${ON_NODE}}`);
  });
  test('a pod has count before the same ones of its node', () => {
    const own = '{"topology_kubernetes_io_region":"mine"}';
    const { region } = NODE;
    assert.equal(withNodeLabels(own, { ...NOWHERE, region, providerID: ID }), own);
  });
  test('a pod has stay as they are on a node that tells nothing', () => {
    assert.equal(withNodeLabels('{"a":"b"}', { ...NOWHERE, providerID: ID }), '{"a":"b"}');
    assert.equal(withNodeLabels('', { ...NOWHERE, providerID: '' }), '');
  });
  for (const [providerID, label] of [
    ['gce://p/z/n', 'cloud_google_com_gke_nodepool'],
    ['azure:///subscriptions/s', 'kubernetes_azure_com_agentpool'],
    ['kind://n', 'nodepool'],
    ['', 'nodepool'],
  ] as const)
    test(`the pool of '${providerID}' gives have the name ${label}`, () => {
      const labels = withNodeLabels('', { ...NOWHERE, nodePool: 'p', providerID });
      assert.equal(labels, `{"${label}":"p"}`);
    });
});
