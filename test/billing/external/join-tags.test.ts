/** What tags of external costs say of workloads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../../src/settings/config.ts';
import { joinedTexts, JOIN_TAGS, type JoinTags } from '../../../src/billing/external/join-tags.ts';
import { Fault } from '../../../src/query/index.ts';

const tagsOf = (text: string): JoinTags =>
  loadConfig([`--external-tags=${text}`], {}, () => '').config.externalTags;

type Texts = Readonly<Record<string, string>>;

const CASES: readonly (readonly [name: string, tags: Texts, texts: Texts | undefined, by?: JoinTags])[] = [
  ['no tag', {}, undefined],
  ['tags of others', { team: 'x' }, undefined],
  ['a tag without a value', { kubernetes_namespace: '' }, undefined],
  ['a namespace', { kubernetes_namespace: 'web' }, { namespace: 'web' }],
  ['a tag in the spelling of its cloud', { 'Kubernetes-Namespace': 'web' }, { namespace: 'web' }],
  ['a cluster, a node and a pod', { kubernetes_cluster: 'one', kubernetes_node: 'n', kubernetes_pod: 'p' }, { cluster: 'one', node: 'n', pod: 'p' }],
  ['a deployment', { kubernetes_deployment: 'web' }, { controllerKind: 'deployment', controller: 'web' }],
  ['a controller', { kubernetes_controller: 'web' }, { controller: 'web' }],
  ['a controller and its kind', { kubernetes_controller: 'StatefulSet:db' }, { controllerKind: 'statefulset', controller: 'db' }],
  ['the kind in a tag of its own', { kubernetes_controller: 'a:b', kubernetes_controller_kind: 'Job' }, { controllerKind: 'job', controller: 'a:b' }],
  ['a service', { kubernetes_service: 'front' }, { services: '["front"]' }],
  ['labels', { kubernetes_label_app: 'shop', 'kubernetes_label_a.b': '1' }, { labels: '{"a_b":"1","app":"shop"}' }],
  ['annotations', { kubernetes_annotation_team: 'x' }, { annotations: '{"team":"x"}' }],
  ['tags of others beside', { kubernetes_namespace: 'web', 'cost-center': '7' }, { namespace: 'web', labels: '{"cost_center":"7"}' }],
  ['a label named twice', { kubernetes_label_app: 'a', app: 'b' }, { labels: '{"app":"a"}' }],
  ['tags of our own', { 'team-ns': 'web', k8s_app: 'shop', kubernetes_namespace: 'other' }, { namespace: 'web', labels: '{"app":"shop","kubernetes_namespace":"other"}' }, tagsOf('namespace=team_ns, LABEL=K8s-')],
]; // prettier-ignore

for (const [name, tags, texts, by = JOIN_TAGS] of CASES) {
  test(`join: ${name}`, () => {
    const joined = joinedTexts(JSON.stringify(tags), by);
    const found =
      joined && Object.fromEntries(Object.entries(joined).filter(([, text]) => text !== ''));
    assert.deepEqual(found, texts);
  });
}

for (const text of ['namespace', 'colour=x', 'namespace=', 'namespace=a=b', 'namespace=a,']) {
  test(`the setting ${text} is refused`, () => {
    assert.throws(
      () => tagsOf(text),
      (error) => error instanceof Fault && error.message.includes(`'${text}'`),
    );
  });
}
