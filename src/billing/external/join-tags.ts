/**
 * Tags by which external costs join workloads: those that Kubecost and OpenCost read in bills
 * (`kubernetes_namespace` and its kin), each under a name that can be set.
 */
import { parseLabels, storeName } from '../../query/index.ts';

/** Properties of a workload that tags can have; `label` and `annotation` are beginnings of names. */
export const JOIN_PROPERTIES = [
  'cluster',
  'node',
  'namespace',
  'controllerKind',
  'controller',
  'deployment',
  'statefulset',
  'daemonset',
  'job',
  'pod',
  'service',
  'label',
  'annotation',
] as const;
export type JoinProperty = (typeof JOIN_PROPERTIES)[number];

/** The tag of each, as `tagName` spells it: plain data, sent to workers. */
export type JoinTags = Readonly<Record<JoinProperty, string>>;

export const JOIN_TAGS: JoinTags = {
  cluster: 'kubernetes_cluster',
  node: 'kubernetes_node',
  namespace: 'kubernetes_namespace',
  controllerKind: 'kubernetes_controller_kind',
  controller: 'kubernetes_controller',
  deployment: 'kubernetes_deployment',
  statefulset: 'kubernetes_statefulset',
  daemonset: 'kubernetes_daemonset',
  job: 'kubernetes_job',
  pod: 'kubernetes_pod',
  service: 'kubernetes_service',
  label: 'kubernetes_label_',
  annotation: 'kubernetes_annotation_',
};

const KINDS = ['deployment', 'statefulset', 'daemonset', 'job'] as const;
const PLAIN = ['cluster', 'node', 'namespace', 'pod'] as const;

/** Texts of a row of allocations, by column; objects and lists as JSON. */
export type JoinedTexts = Readonly<Record<string, string>>;

/** Case and signs do not matter: clouds allow different ones. */
export function tagName(tag: string): string {
  return storeName(tag).toLowerCase();
}

/**
 * The texts of a workload in a charge's tags. All its other tags are labels as well.
 * @param tags as a bill has them
 * @returns undefined where no tag is of a workload
 */
export function joinedTexts(tags: string, by: JoinTags): JoinedTexts | undefined {
  const unread = new Map(
    [...parseLabels(tags)].map(([tag, value]) => [tagName(tag), { tag, value }]),
  );
  const take = (property: JoinProperty): string => {
    const found = unread.get(by[property])?.value ?? '';
    if (found !== '') unread.delete(by[property]);
    return found;
  };
  const texts: Record<string, string> = Object.fromEntries(PLAIN.map((name) => [name, take(name)]));
  Object.assign(texts, controllerOf(take));
  const service = take('service');
  texts['services'] = service === '' ? '' : JSON.stringify([service]);
  const named = beginningWith(unread, by.label);
  texts['annotations'] = objectJson(beginningWith(unread, by.annotation));
  if (Object.values(texts).every((text) => text === '') && named.size === 0) return undefined;
  const others = [...unread.values()].map(({ tag, value }) => [storeName(tag), value] as const);
  texts['labels'] = objectJson(new Map([...others, ...named]));
  return texts;
}

function controllerOf(take: (property: JoinProperty) => string): JoinedTexts {
  for (const kind of KINDS) {
    const name = take(kind);
    if (name !== '') return { controllerKind: kind, controller: name };
  }
  const [controller, ownKind] = [take('controller'), take('controllerKind').toLowerCase()];
  const colon = controller.indexOf(':');
  if (colon < 0 || ownKind !== '') return { controllerKind: ownKind, controller };
  return {
    controllerKind: controller.slice(0, colon).toLowerCase(),
    controller: controller.slice(colon + 1),
  };
}

interface Tag {
  readonly tag: string;
  readonly value: string;
}

/** Takes the tags that begin with the prefix, under the rest of their names. */
function beginningWith(unread: Map<string, Tag>, prefix: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, { tag, value }] of unread) {
    if (!name.startsWith(prefix) || name.length === prefix.length) continue;
    found.set(storeName(tag).slice(prefix.length), value);
    unread.delete(name);
  }
  return found;
}

/** In order of names, so that equal labels are one text; '' for none. */
function objectJson(pairs: ReadonlyMap<string, string>): string {
  const sorted = [...pairs].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const members = sorted.map((pair) => pair.map((text) => JSON.stringify(text)).join(':'));
  return members.length === 0 ? '' : `{${members.join(',')}}`;
}
