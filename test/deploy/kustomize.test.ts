/** The shipped manifests as a base of kustomize, with its components. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { MANIFESTS, template } from '../../scripts/chart-renderings.ts';
import { containerEnvironment, podOf } from '../support/chart-cases.ts';
import { at } from '../support/hardening.ts';
import { manifestsIn, manifestText, type Manifest } from '../support/manifests.ts';
import { findBinary } from '../support/servers/services.ts';

const helm = process.env['HELM'] ?? findBinary('helm') ?? '';
const kubectl = findBinary('kubectl') ?? '';

describe('kustomize', { skip: kubectl === '' ? 'kubectl not installed' : false }, () => {
  const build = (path: string): Manifest[] =>
    manifestsIn(execFileSync(kubectl, ['kustomize', path], { encoding: 'utf8' }));
  const byName = (manifests: readonly Manifest[]): Manifest[] =>
    manifests.toSorted((a, b) =>
      `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`),
    );

  test('the base is the namespace and what is in it', () => {
    const texts = ['namespace.yaml', 'prorata.yaml'].map(manifestText);
    assert.deepEqual(byName(build(MANIFESTS)), byName(texts.flatMap(manifestsIn)));
  });

  test('an overlay with both tiers is what the chart renders with both', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prorata-overlay-'));
    const to = relative(realpathSync(folder), MANIFESTS);
    const components = ['network', 'rights/read', 'rights/write'].map((name) => join(to, name));
    const overlay = { resources: [to], components };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
    const built = build(folder);
    rmSync(folder, { recursive: true });
    const pod = podOf(built);
    assert.equal(at(pod, 'automountServiceAccountToken'), true);
    const { CLUSTER_CONTROLLER_ENABLED, COST_EVENTS_AUDIT_ENABLED } = containerEnvironment(built);
    assert.deepEqual([CLUSTER_CONTROLLER_ENABLED, COST_EVENTS_AUDIT_ENABLED], ['true', 'true']);
    if (helm === '') return;
    const rights = { read: true, write: { enabled: true } };
    const chart = manifestsIn(
      template(helm, { existingConfigMap: 'prorata', rights }, '--no-hooks'),
    );
    const namespace = manifestsIn(manifestText('namespace.yaml'));
    const isSame = byName([...chart, ...namespace]).map(withoutOrder);
    assert.deepEqual(byName(built).map(withoutOrder), isSame);
  });
});

/** Variables in the order of their names: a patch puts its own first. */
function withoutOrder(manifest: Manifest): Manifest {
  const copy = structuredClone(manifest);
  const listed = at(copy, 'spec.template.spec.containers.0.env') as { name: string }[] | undefined;
  listed?.sort((a, b) => (a.name < b.name ? -1 : 1));
  return copy;
}
