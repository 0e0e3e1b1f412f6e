/** Which services a pod stands behind, as selectors and endpoints tell. Times are minutes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decide, requests, type Series } from '../../support/fleets/decided.ts';

const IP = '10.0.0.7';
type Labels = Readonly<Record<string, string>>;

function selector(service: string, labels: Labels): Series {
  return { fact: 'serviceSelector', labels: { service, ...labels } };
}

function address(service: string, more: Labels = {}, seen?: Series['seen']): Series {
  const labels = { endpoint: service, ip: IP, pod: '', ...more };
  return { fact: 'endpointAddress', labels, ...(seen ? { seen } : {}) };
}

function slice(endpointslice: string, more: Labels = {}, seen?: Series['seen']): Series {
  const labels = { endpointslice, targetref_name: 'web', pod: '', ...more };
  return { fact: 'sliceEndpoint', labels, ...(seen ? { seen } : {}) };
}

function sliceLabels(endpointslice: string, service: string): Series {
  const labels = { endpointslice, label_kubernetes_io_service_name: service, pod: '' };
  return { fact: 'sliceLabels', labels };
}

function info(labels: Labels, seen?: Series['seen']): Series {
  const own = { pod_ip: IP, host_network: 'false', ...labels };
  return { fact: 'podInfo', labels: own, ...(seen ? { seen } : {}) };
}

const LABELLED: Series = { fact: 'podLabels', labels: { label_app: 'web' } };

const BEHIND: readonly (readonly [what: string, series: readonly Series[], services: string[]])[] = [
  ['a selector it has the labels of', [LABELLED, selector('a', { label_app: 'web' })], ['a']],
  ['a selector it lacks a label of', [LABELLED, selector('a', { label_app: 'db' })], []],
  ['neither selector nor endpoint', [LABELLED, info({})], []],
  ['an endpoint with its address', [info({}), address('a')], ['a']],
  [
    'an endpoint that the scraping job has hidden',
    [info({}), address('http', { exported_endpoint: 'a' })],
    ['a'],
  ],
  ['endpoints of two services', [info({}), address('b'), address('a'), address('a')], ['a', 'b']],
  ['an endpoint in another namespace', [info({}), address('a', { namespace: 'other' })], []],
  ['an endpoint in another cluster', [info({}), address('a', { cluster: 'other' })], []],
  ['an endpoint with the address of its node', [info({ host_network: 'true' }), address('a')], []],
  ['an endpoint that had its address before it', [info({}), address('a', {}, [-60, -1])], []],
  ['an endpoint that has its address after it', [info({}), address('a', {}, [102, 200])], []],
  ['an endpoint for a part of its life', [info({}), address('a', {}, [90, 200])], ['a']],
  ['an endpoint of one sample', [info({}), address('a', {}, [50, 50])], ['a']],
  ['a slice that names it', [slice('a-b2c4d')], ['a']],
  ['a slice with a dashed name', [slice('my-shop-x7z9q')], ['my-shop']],
  ['a slice named by hand', [slice('by-hand')], []],
  ['a slice named by hand, its service told', [sliceLabels('by-hand', 'a'), slice('by-hand')], ['a']],
  ['a slice whose label says more than its name', [sliceLabels('a-b2c4d', 'b'), slice('a-b2c4d')], ['b']],
  ['a slice that named it before it was', [slice('a-b2c4d', {}, [-60, -1])], []],
  ['a slice that names another', [slice('a-b2c4d', { targetref_name: 'db' })], []],
  [
    'an endpoint of a service whose selector it does not match',
    [LABELLED, info({}), selector('a', { label_app: 'db' }), address('a')],
    [],
  ],
  [
    'an endpoint of a service with a selector, its own labels unknown',
    [info({}), selector('a', { label_app: 'db' }), address('a')],
    ['a'],
  ],
  [
    'an endpoint written by hand, of a service without a selector',
    [LABELLED, info({}), selector('a', {}), address('a')],
    ['a'],
  ],
  [
    'a selector of one service and an endpoint of another',
    [LABELLED, info({}), selector('b', { label_app: 'web' }), address('a')],
    ['a', 'b'],
  ],
]; // prettier-ignore

describe('a pod stands behind services by', () => {
  for (const [what, series, services] of BEHIND)
    test(what, () => {
      const [workload] = decide([requests({}), ...series]);
      assert.deepEqual(workload?.pod.services, services);
    });
});

test('an address that two pods had in turn counts for whom it was an endpoint of', () => {
  const list = decide([
    requests({ pod: 'first' }, [0, 40]),
    requests({ pod: 'second' }, [60, 100]),
    info({ pod: 'first' }, [0, 40]),
    info({ pod: 'second' }, [60, 100]),
    address('a', {}, [1, 40]),
    address('b', {}, [60, 99]),
  ]);
  assert.deepEqual(
    list.map(({ pod }) => [pod.name, pod.services]),
    [
      ['first', ['a']],
      ['second', ['b']],
    ],
  );
});
