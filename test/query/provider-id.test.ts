/** Short ids of machines. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shortProviderId } from '../../src/query/index.ts';

const SHORT: Readonly<Record<string, string>> = {
  'aws:///us-east-2a/i-0fea4fd46592d050b': 'i-0fea4fd46592d050b',
  'gce://guestbook-227502/us-central1-a/gke-niko-n1': 'gke-niko-n1',
  'azure:///subscriptions/0bd/virtualMachines/0': 'azure:///subscriptions/0bd/virtualMachines/0',
  'i-043': 'i-043',
  'aws://i-043': 'aws://i-043',
  '': '',
};

describe('a provider id', () => {
  for (const [id, short] of Object.entries(SHORT))
    test(`'${id}' is shown as '${short}'`, () => assert.equal(shortProviderId(id), short));
});
