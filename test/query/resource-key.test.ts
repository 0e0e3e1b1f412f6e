import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceKey } from '../../src/query/index.ts';

/** Names of a resource in Kubernetes and in a bill, and its common spelling. */
const CASES: readonly (readonly [names: readonly string[], key: string])[] = [
  [['aws:///us-east-1a/i-0ABC', 'arn:aws:ec2:us-east-1:1:instance/i-0abc', 'i-0abc'], 'i-0abc'],
  [['aws://us-east-1a/vol-0abc', 'arn:aws:ec2:us-east-1:1:volume/vol-0abc'], 'vol-0abc'],
  [
    [
      'web-1f2e.elb.us-east-1.amazonaws.com',
      'arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/web/1f2e',
    ],
    'web-1f2e',
  ],
  [
    [
      'a1b2-123.us-east-1.elb.amazonaws.com',
      'internal-a1b2-123.us-east-1.elb.amazonaws.com',
      'dualstack.a1b2-123.us-east-1.elb.amazonaws.com',
      'arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/A1B2',
      'arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/a1b2/1f2e',
    ],
    'us-east-1/a1b2',
  ],
  [
    ['gce://p/z/n', '//compute.googleapis.com/projects/p/zones/z/instances/n'],
    'projects/p/zones/z/instances/n',
  ],
  [
    ['azure:///subscriptions/S/resourceGroups/g/vm', '/subscriptions/s/resourcegroups/G/vm'],
    '/subscriptions/s/resourcegroups/g/vm',
  ],
  [[' Bucket '], 'bucket'],
  [[''], ''],
];

for (const [names, key] of CASES) {
  test(`${names.join(' and ')} are ${key}`, () => {
    for (const name of names) assert.equal(resourceKey(name), key);
  });
}
