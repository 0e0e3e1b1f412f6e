/** The pod of the chart that writes files for other programs, as helm renders it. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { template } from '../../scripts/chart-renderings.ts';
import { loadConfig } from '../../src/settings/config.ts';
import { containerEnvironment, FIRST, podOf, SEVERAL } from '../support/chart-cases.ts';
import { at } from '../support/hardening.ts';
import { manifestsIn, type Manifest } from '../support/manifests.ts';
import { findBinary } from '../support/servers/services.ts';

const helm = process.env['HELM'] ?? findBinary('helm') ?? '';
const URL = 's3://costs/tables';

describe('the pod that writes files', { skip: helm === '' ? 'helm not installed' : false }, () => {
  for (const [name, values, from] of [
    ['a claim', FIRST, '/data'],
    ['a bucket', { ...FIRST, ...SEVERAL }, 's3://costs/prorata'],
  ] as const) {
    const all = manifestsIn(template(helm, { ...values, sink: { url: URL } }, '--no-hooks'));
    const job = at(
      all.find(({ kind }) => kind === 'CronJob'),
      'spec.jobTemplate.spec.template',
    );

    test(`is locked up as the server, with ${name}`, () => {
      const one = podOf(manifestsIn(template(helm, FIRST)));
      for (const path of ['containers.0.securityContext', 'enableServiceLinks'])
        assert.deepEqual(at(job, `spec.${path}`), at(one, path));
      for (const path of ['securityContext.runAsUser', 'serviceAccountName'])
        assert.deepEqual(at(job, `spec.${path}`), at(one, path));
    });

    test(`is told what to read, and settings that it knows, with ${name}`, () => {
      const told = ['copy', '--from', from, '--to', URL, '--as', 'parquet'];
      const args = [...told, '--kinds', 'allocations,assets', '--json', '--quiet'];
      assert.deepEqual(at(job, 'spec.containers.0.args'), args);
      const env = containerEnvironment(all, at(job, 'spec'));
      const { config } = loadConfig([], env, () => '');
      const known = new Set(['TMPDIR', ...config.told.map((each) => each.from)]);
      assert.deepEqual(
        Object.keys(env).filter((variable) => !known.has(variable)),
        [],
      );
    });

    test(`is taken for no server, and reads the claim of one alone, with ${name}`, () => {
      for (const [kind, path] of [
        ['Service', 'spec.selector'],
        ['PodDisruptionBudget', 'spec.selector.matchLabels'],
      ] as const)
        for (const each of all.filter((other) => other.kind === kind))
          assert.ok(!isSelected(each, path), each.metadata.name);
      const claim = all.find(({ kind }) => kind === 'StatefulSet')?.metadata.name;
      const volumes = at(job, 'spec.volumes') as readonly Record<string, unknown>[];
      const data = volumes.find((volume) => volume['name'] === 'data');
      assert.deepEqual(
        data?.['persistentVolumeClaim'],
        claim && { claimName: `data-${claim}-0`, readOnly: true },
      );
    });

    const isSelected = (by: Manifest, path: string): boolean => {
      const labels = Object.entries(at(job, 'metadata.labels') as object);
      return Object.entries(at(by, path) as object).every((wanted) =>
        labels.some((label) => isDeepStrictEqual(label, wanted)),
      );
    };
  }
});
