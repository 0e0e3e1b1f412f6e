/**
 * What a simulated API server makes of a strategic merge patch: containers are merged by name, null
 * removes, other lists are replaced; and what of the result it would refuse.
 * https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import type { ClusterObject, ContainerSpec } from '../cluster/index.ts';
import { readQuantity } from '../query/index.ts';

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

/** Lists whose items are told apart by name. */
const NAMED_LISTS: ReadonlySet<string> = new Set(['containers', 'initContainers']);

export function mergedInto(object: ClusterObject, patch: object): ClusterObject {
  return merge(object as unknown as JsonObject, patch as JsonObject) as unknown as ClusterObject;
}

function merge(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    const before = merged.get(name);
    if (value === null) merged.delete(name);
    else if (isList(value) && isList(before) && NAMED_LISTS.has(name)) {
      merged.set(name, mergeNamed(before, value));
    } else if (isObject(value)) merged.set(name, merge(isObject(before) ? before : {}, value));
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
}

function mergeNamed(base: readonly Json[], patch: readonly Json[]): Json[] {
  const nameOf = (item: Json): Json | undefined => (isObject(item) ? item['name'] : undefined);
  const merged = base.map((item) => {
    const change = patch.find((each) => nameOf(each) === nameOf(item));
    return isObject(item) && isObject(change) ? merge(item, change) : item;
  });
  const known = new Set(base.map(nameOf));
  return [...merged, ...patch.filter((each) => !known.has(nameOf(each)))];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Why the API would answer 422; undefined when it would not. */
export function invalidIn(object: ClusterObject): string | undefined {
  const containers = object.spec?.template?.spec?.containers ?? [];
  return containers.map(wrongIn).find((why) => why !== undefined);
}

function wrongIn(container: ContainerSpec & { readonly image?: string }): string | undefined {
  if (container.image === undefined) return `${container.name}: image: Required value`;
  const { requests = {}, limits = {} } = container.resources ?? {};
  for (const [resource, amount] of Object.entries({ ...limits, ...requests })) {
    const request = readQuantity(String(requests[resource] ?? amount));
    const limit = readQuantity(String(limits[resource] ?? amount));
    if (request === undefined || limit === undefined || request < 0n) {
      return `${container.name}: ${resource}: '${amount}' is no quantity`;
    }
    if (limits[resource] !== undefined && request > limit) {
      return `${container.name}: ${resource}: must be less than or equal to ${resource} limit`;
    }
  }
  return undefined;
}
