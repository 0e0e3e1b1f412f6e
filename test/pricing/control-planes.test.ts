/** What control planes cost, by cloud, tier and version of Kubernetes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  CONTROL_PLANE_TIERS,
  controlPlanePrice,
  type ControlPlane,
} from '../../src/pricing/index.ts';

const named = (tier: string, cluster = ''): ControlPlane => ({ cluster, tier });
const ms = (day: string): number => Date.parse(`${day}T00:00:00Z`);

type Case = readonly [
  what: string,
  cloud: string,
  version: string,
  tiers: readonly ControlPlane[],
  provisioner: string,
  /** USD an hour, in pairs; none where it costs nothing. */
  prices: readonly number[],
];

const EXTENDED = [0, 0.1, ms('2024-07-24'), 0.6];
const CASES: readonly Case[] = [
  ['EKS of no known version', 'AWS', '', [], 'EKS', [0, 0.1]],
  ['EKS whose standard support ends', 'AWS', 'v1.27.16-eks-a737599', [], 'EKS', EXTENDED],
  ['EKS of before extended support was billed', 'AWS', 'v1.23.17-eks-0', [], 'EKS', [0, 0.1, ms('2024-04-01'), 0.6]],
  ['EKS of a version to come', 'AWS', 'v1.99.0-eks-0', [], 'EKS', [0, 0.1]],
  ['EKS that the operator keeps in standard support', 'AWS', 'v1.27.16-eks-0', [named('eks-standard')], 'EKS', [0, 0.1]],
  ['EKS in extended support by the operator', 'AWS', 'v1.30.1-eks-0', [named('eks-extended-support', 'c')], 'EKS', [0, 0.6]],
  ['EKS beside a word on AKS', 'AWS', '', [named('aks-standard')], 'EKS', [0, 0.1]],
  ['EKS beside a word on another cluster', 'AWS', '', [named('none', 'other')], 'EKS', [0, 0.1]],
  ['GKE', 'GCP', 'v1.27.3-gke.100', [], 'GKE', [0, 0.1]],
  ['GKE Autopilot', 'GCP', '', [named('gke-autopilot')], 'GKE', [0, 0.1]],
  ['GKE in the extended channel', 'GCP', '', [named('gke-extended-channel')], 'GKE', [0, 0.6]],
  ['AKS whose tier nobody names', 'Azure', 'v1.27.3', [], '', []],
  ['AKS without a service level', 'Azure', '', [named('aks-free')], '', []],
  ['AKS with a service level', 'Azure', '', [named('aks-standard')], 'AKS', [0, 0.1]],
  ['AKS with long-term support', 'Azure', '', [named('eks-standard'), named('aks-premium-lts')], 'AKS', [0, 0.6]],
  ['a cluster before its cloud', 'Azure', '', [named('aks-standard'), named('aks-premium-lts', 'c')], 'AKS', [0, 0.6]],
  ['a cluster that is said to have none', 'AWS', '', [named('none', 'c')], '', []],
  ['a cluster of which nothing but the operator tells', '', '', [named('eks-standard', 'c')], 'EKS', [0, 0.1]],
  ['a cluster of no cloud', '', 'v1.27.3', [named('none')], '', []],
  ['DigitalOcean', 'DigitalOcean', 'v1.27.3', [], '', []],
]; // prettier-ignore

describe('a control plane costs by list', () => {
  for (const [what, cloud, version, tiers, provisioner, prices] of CASES)
    test(`for ${what}: ${prices.join(', ') || 'nothing'}`, () => {
      const found = controlPlanePrice({ cluster: 'c', cloud, version }, tiers);
      assert.deepEqual(found ?? {}, prices.length === 0 ? {} : { provisioner, prices });
    });
});

test('every tier that can be named has a price, or is free', () => {
  const free = CONTROL_PLANE_TIERS.filter(
    (tier) => controlPlanePrice({ cluster: 'c', cloud: '', version: '' }, [named(tier, 'c')]) === undefined,
  );
  assert.deepEqual(free, ['aks-free', 'none']);
}); // prettier-ignore
