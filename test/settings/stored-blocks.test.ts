/** Settings of blocks that are read as a metrics store. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/query/index.ts';
import { loadConfig, type Config } from '../../src/settings/config.ts';
import { blocksMemory, divideMemory } from '../../src/settings/memory-budget.ts';

const MIB = 2 ** 20;

function load(...argv: string[]): Config {
  return loadConfig(argv, {}, () => '', { cores: 2, memoryBytes: 4096 * MIB }).config;
}

test('URLs of buckets and folders are metrics stores', () => {
  for (const url of [
    's3://metrics/a/b',
    'gs://metrics',
    'azblob://account/metrics',
    'file:///var/x',
  ])
    assert.equal(load('--metrics-url', `${url}/`).metricsUrl, url);
  for (const url of ['s3://', 's3://metrics/../x', 'file://host/x', 'file:x', 'gs://metrics?x=y'])
    assert.throws(
      () => load('--metrics-url', url),
      /is not an http, https, s3, gs, azblob or file/,
    );
});

test('labels of replicas are names of labels', () => {
  const { metricsReplicaLabels } = load('--metrics-replica-labels', 'rr, replica');
  assert.deepEqual(metricsReplicaLabels, ['rr', 'replica']);
  assert.throws(() => load('--metrics-replica-labels', 'a-b'), /is not a list of label names/);
});

test('what reads blocks is taken off the limit first, and refused where it does not fit', () => {
  const { memory } = load('--metrics-url', 's3://metrics', '--memory-limit', '512Mi');
  const { bytes } = blocksMemory(512 * MIB);
  assert.deepEqual(memory, divideMemory(512 * MIB - bytes, 2));
  load('--metrics-url', 'file:///x', '--memory-limit', '256Mi');
  assert.throws(
    () => load('--metrics-url', 'file:///x', '--memory-limit', '200Mi'),
    (error) => error instanceof Fault && /set --memory-limit to 2\d\dMi/.test(error.hint ?? ''),
  );
});
