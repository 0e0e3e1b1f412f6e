/** What volumes, load balancers and traffic cost by list, as each cloud sells them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  balancerPrice,
  egressUsdPerGiB,
  serverlessRates,
  storageUsdPerGiBHour,
} from '../../src/pricing/index.ts';

const EBS = 'ebs.csi.aws.com';
const PD = 'pd.csi.storage.gke.io';
const DISK = 'disk.csi.azure.com';
const [EKS, GKE, AKS] = ['AWS us-east-1', 'GCP us-central1', 'Azure eastus'];

function placeOf(text: string): { provider: string; region: string } {
  const [provider = '', region = ''] = text.split(' ');
  return { provider, region };
}

type Case = readonly [
  place: string,
  storageClass: string,
  driver: string,
  gib: number,
  /** USD for the volume and a month; null: no list price. */
  usdPerMonth: number | null,
];

const VOLUMES: readonly Case[] = [
  [EKS, 'gp2', EBS, 100, 10],
  [EKS, 'gp3', EBS, 100, 8],
  [EKS, 'ebs-gp3-encrypted', EBS, 100, 8],
  [EKS, 'io2', EBS, 100, 12.5],
  [EKS, 'st1', EBS, 500, 22.5],
  [EKS, 'kops-ssd', EBS, 100, 8],
  [EKS, '', EBS, 100, 8],
  [EKS, 'default', 'kubernetes.io/aws-ebs', 100, 10],
  [EKS, 'auto-ebs-sc', 'ebs.csi.eks.amazonaws.com', 100, 8],
  ['AWS eu-west-1', 'gp3', EBS, 100, 8.8],
  ['AWS ap-southeast-4', 'gp3', EBS, 100, 8],
  ['AWS cn-north-1', 'gp3', EBS, 100, null],
  ['AWS ', 'gp3', EBS, 100, null],
  [EKS, 'gp2', '', 100, 10],
  [EKS, 'fast', '', 100, null],
  [EKS, 'efs-sc', 'efs.csi.aws.com', 100, null],
  [GKE, 'standard', 'kubernetes.io/gce-pd', 100, 4],
  [GKE, 'standard-rwo', PD, 100, 10],
  [GKE, 'premium-rwo', PD, 100, 17],
  [GKE, 'pd-ssd', PD, 100, 17],
  [GKE, 'ssd-regional', PD, 100, 34],
  [GKE, 'my-class', PD, 100, 4],
  [GKE, 'standard-rwx', 'filestore.csi.storage.gke.io', 1024, null],
  [AKS, 'default', DISK, 32, 2.4],
  [AKS, 'managed-csi', DISK, 100, 9.6],
  [AKS, 'managed-csi-premium', DISK, 128, 19.71],
  [AKS, 'managed-premium', 'kubernetes.io/azure-disk', 5, 1.2],
  [AKS, 'managed-premium-v2', DISK, 100, 8.1],
  [AKS, 'my-hdd', DISK, 1, 1.536],
  [AKS, 'managed-csi-premium', DISK, 5000, 660],
  ['Azure westeurope', 'managed-csi', DISK, 128, 9.6],
  [AKS, 'azurefile-csi', 'file.csi.azure.com', 100, null],
  ['DigitalOcean nyc1', 'do-block-storage', 'dobs.csi.digitalocean.com', 10, null],
  ['', 'local-path', 'rancher.io/local-path', 10, null],
  ['', '', '', 10, null],
];

describe('a month of a volume', () => {
  for (const [place, storageClass, driver, gib, usdPerMonth] of VOLUMES)
    test(`${place} ${storageClass} by ${driver || 'no known driver'}, ${gib} GiB: ${usdPerMonth ?? 'not listed'}`, () => {
      const usd = storageUsdPerGiBHour(placeOf(place), { storageClass, driver }, gib);
      if (usdPerMonth === null) assert.equal(usd, undefined);
      else assert.ok(Math.abs((usd ?? NaN) * gib * 730 - usdPerMonth) < 1e-9, `${usd}`);
    });

  test('a larger disk of Azure never costs less', () => {
    const gib = fc.double({ min: 0.1, max: 40_000, noNaN: true });
    const classes = fc.constantFrom('managed-csi', 'managed-csi-premium', 'hdd');
    fc.assert(
      fc.property(gib, gib, classes, (a, b, storageClass) => {
        const cost = (size: number): number =>
          size * (storageUsdPerGiBHour(placeOf(AKS), { storageClass, driver: DISK }, size) ?? NaN);
        assert.ok(cost(Math.max(a, b)) >= cost(Math.min(a, b)) * (1 - 1e-12));
      }),
    );
  });
});

const CLASSIC = 'a1b2-123.us-east-1.elb.amazonaws.com';
const NETWORK = 'a1b2-0c3d.elb.us-east-1.amazonaws.com';
const BALANCERS: readonly (readonly [place: string, address: string, usd: number | undefined])[] = [
  [EKS, CLASSIC, 0.025],
  [EKS, NETWORK, 0.0225],
  ['AWS eu-west-1', 'a.elb.eu-west-1.amazonaws.com', 0.0252],
  // Klipper of k3s, or MetalLB, on machines of Amazon.
  [EKS, '10.0.3.4', undefined],
  [GKE, '34.1.2.3', 0.025],
  ['GCP europe-west1', '34.1.2.3', 0.025],
  ['Azure westeurope', '20.1.2.3', 0.025],
  ['DigitalOcean nyc1', '64.1.2.3', undefined],
  ['', '192.168.1.240', undefined],
];

test('an hour of a load balancer', () => {
  for (const [place, address, usd] of BALANCERS)
    assert.equal(balancerPrice(placeOf(place), address)?.usdPerHour(1), usd, `${place} ${address}`);
});

test('services whose rules or names are one have one price, further rules their own', () => {
  const rows: readonly (readonly [string, string, string, services: number, usd: number])[] = [
    [EKS, 'a-1.elb.us-east-1.amazonaws.com', 'a-1.elb.us-east-1.amazonaws.com', 7, 0.0225],
    [AKS, '20.1.2.3', 'rules', 5, 0.025],
    [AKS, '20.1.2.3', 'rules', 7, 0.045],
    [AKS, '10.224.0.7', 'internal rules', 1, 0.025],
    [GKE, '34.1.2.3', 'rules', 6, 0.035],
    [GKE, '10.128.0.7', 'rules', 1, 0.025],
  ];
  for (const [place, address, billedAs, services, usd] of rows) {
    const price = balancerPrice(placeOf(place), address);
    assert.equal(price?.billedAs, billedAs, `${place} ${address}`);
    assert.ok(Math.abs((price?.usdPerHour(services) ?? NaN) - usd) < 1e-12, `${place} ${address}`);
  }
});

test('a GiB that leaves', () => {
  const rows: readonly (readonly [string, readonly (number | undefined)[]])[] = [
    [EKS, [0.01, 0.02, 0.09]],
    ['AWS af-south-1', [0.01, 0.147, 0.154]],
    [GKE, [0.01, 0.02, 0.12]],
    [AKS, [0, 0.02, 0.087]],
    ['', [undefined, undefined, undefined]],
  ];
  for (const [place, usd] of rows) {
    const { zoneGiB, regionGiB, internetGiB } = egressUsdPerGiB(placeOf(place));
    assert.deepEqual([zoneGiB, regionGiB, internetGiB], usd, place);
  }
});

test('names that every object has are no driver, class, cloud or region', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const place = { provider: name, region: name };
    assert.equal(storageUsdPerGiBHour(place, { storageClass: name, driver: '' }, 1), undefined);
    assert.equal(storageUsdPerGiBHour(place, { storageClass: name, driver: name }, 1), undefined);
    assert.equal(balancerPrice(place, name), undefined);
    assert.deepEqual(new Set(Object.values(egressUsdPerGiB(place))), new Set([undefined]));
  }
});

/** USD of a vCPU-hour and a GB-hour; null: no list price in the region. */
const FARGATE: readonly (readonly [region: string, cpu: number | null, ram: number])[] = [
  ['us-east-1', 0.04048, 0.004445],
  ['us-west-1', 0.04656, 0.00511],
  ['eu-west-1', 0.04048, 0.004445],
  ['EU-WEST-1', 0.04048, 0.004445],
  ['eu-west-2', 0.04656, 0.00511],
  ['eu-central-1', 0.04656, 0.00511],
  ['ap-northeast-1', 0.05056, 0.00553],
  ['ap-southeast-2', 0.04856, 0.00532],
  ['sa-east-1', 0.0696, 0.0076],
  ['ap-southeast-3', null, NaN],
  ['', null, NaN],
];

describe('a pod on Fargate', () => {
  for (const [region, cpu, ram] of FARGATE)
    test(`in '${region}' costs ${cpu === null ? 'what it does elsewhere' : `$${cpu} a vCPU-hour`}`, () => {
      const rates = serverlessRates('fargate', region, false);
      assert.equal(rates?.isComputed, cpu === null);
      if (cpu !== null) assert.deepEqual([rates?.cpuCoreHour, rates?.ramGiBHour], [cpu, ram]);
      else assert.ok((rates?.cpuCoreHour ?? 0) >= 0.04048);
    });

  test('has no list price in China', () => {
    assert.equal(serverlessRates('fargate', 'cn-north-1', false), undefined);
  });
});
