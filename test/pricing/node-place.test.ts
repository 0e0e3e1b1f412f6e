/** Where a node is, in the way each cloud writes its labels and provider ids. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { placeOfNode, type NodeClues } from '../../src/pricing/node-place.ts';

const NOTHING: NodeClues = { providerId: '', region: '', zone: '', cloud: '' };
const AZURE = 'azure:///subscriptions/0-1/resourceGroups/mc_a/providers/Microsoft.Compute/virtualMachineScaleSets/aks-a-1-vmss/virtualMachines/0'; // prettier-ignore

// prettier-ignore
const ROWS: readonly (readonly [what: string, clues: Partial<NodeClues>, provider: string, region: string, isEdge?: true])[] = [
  ['EKS by its labels', { providerId: 'aws:///us-east-1a/i-0abc', region: 'us-east-1', zone: 'us-east-1a' }, 'AWS', 'us-east-1'],
  ['EKS by its provider id alone', { providerId: 'aws:///eu-central-1b/i-0abc' }, 'AWS', 'eu-central-1'],
  ['EKS by its node group and zone', { cloud: 'AWS', zone: 'ap-southeast-3c' }, 'AWS', 'ap-southeast-3'],
  ['EKS in GovCloud', { providerId: 'aws:///us-gov-west-1a/i-0abc' }, 'AWS', 'us-gov-west-1'],
  ['EKS on Fargate', { providerId: 'aws:///us-west-2a/9a57/fargate-ip-10-0-0-1.us-west-2.compute.internal' }, 'AWS', 'us-west-2'],
  ['a Local Zone', { providerId: 'aws:///us-west-2-lax-1a/i-0abc', region: 'us-west-2', zone: 'us-west-2-lax-1a' }, 'AWS', 'us-west-2', true],
  ['a Local Zone by its id alone', { providerId: 'aws:///us-west-2-lax-1a/i-0abc' }, 'AWS', 'us-west-2', true],
  ['a zone by its id', { cloud: 'AWS', region: 'us-east-1', zone: 'use1-az4' }, 'AWS', 'us-east-1'],
  ['a Wavelength zone', { providerId: 'aws:///us-east-1-wl1-bos-wlz-1/i-0abc' }, 'AWS', 'us-east-1', true],
  ['AWS without anything else', { cloud: 'AWS' }, 'AWS', ''],
  ['GKE by its labels', { providerId: 'gce://my-project/us-central1-a/gke-a-1', region: 'us-central1', zone: 'us-central1-a' }, 'GCP', 'us-central1'],
  ['GKE by its provider id alone', { providerId: 'gce://my-project/europe-west4-b/gke-a-1' }, 'GCP', 'europe-west4'],
  ['AKS by its labels', { providerId: AZURE, region: 'westeurope', zone: 'westeurope-1' }, 'Azure', 'westeurope'],
  ['AKS by its zone', { providerId: AZURE, zone: 'eastus2-3' }, 'Azure', 'eastus2'],
  ['AKS in no zone', { providerId: AZURE, zone: '0' }, 'Azure', ''],
  ['DigitalOcean', { providerId: 'digitalocean://240712345', region: 'fra1' }, 'DigitalOcean', 'fra1'],
  ['Hetzner', { providerId: 'hcloud://1234567', region: 'fsn1', zone: 'fsn1-dc14' }, 'Hetzner', 'fsn1'],
  ['a root server of Hetzner', { providerId: 'hrobot://123' }, 'Hetzner', ''],
  ['Linode', { providerId: 'linode://12345', region: 'eu-central' }, 'Linode', 'eu-central'],
  ['OpenStack', { providerId: 'openstack:///3f609814', region: 'RegionOne', zone: 'nova' }, 'OpenStack', 'RegionOne'],
  ['OpenStack with its region in the id', { providerId: 'openstack://GRA7/3f609814' }, 'OpenStack', ''],
  ['Scaleway', { providerId: 'scaleway://instance/fr-par-1/3f609814', region: 'fr-par', zone: 'fr-par-1' }, 'Scaleway', 'fr-par'],
  ['Civo', { providerId: 'civo://3f609814', region: 'LON1' }, 'Civo', 'LON1'],
  ['Oracle', { providerId: 'ocid1.instance.oc1.iad.anuwcljt', region: 'iad' }, 'Oracle', 'iad'],
  ['k3s', { providerId: 'k3s://node-1' }, 'k3s', ''],
  ['kind', { providerId: 'kind://docker/kind/kind-control-plane' }, 'kind', ''],
  ['vSphere', { providerId: 'vsphere://4230a1b2' }, 'vsphere', ''],
  ['bare metal', {}, '', ''],
];

describe('a node is placed', () => {
  for (const [what, clues, provider, region, isEdge = false] of ROWS) {
    test(`as ${what} writes it`, () => {
      const place = placeOfNode({ ...NOTHING, ...clues });
      assert.deepEqual({ ...place, zone: '' }, { provider, region, zone: '', isEdge });
    });
  }

  test('by labels rather than by its provider id', () => {
    const place = placeOfNode({ ...NOTHING, providerId: 'aws:///us-east-1a/i-0', zone: 'us-east-1c', region: 'us-east-1' }); // prettier-ignore
    assert.deepEqual(place, { provider: 'AWS', region: 'us-east-1', zone: 'us-east-1c', isEdge: false }); // prettier-ignore
  });

  test('whatever its texts are', () => {
    const clues = fc.record({ providerId: fc.string(), region: fc.string(), zone: fc.string(), cloud: fc.string() }); // prettier-ignore
    fc.assert(
      fc.property(clues, (of) => {
        const { region } = placeOfNode(of);
        if (of.region !== '') assert.equal(region, of.region);
      }),
    );
  });
});
