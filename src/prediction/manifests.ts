/** Reads workloads from manifests in YAML or JSON: containers, replicas and requests. */
import { spendHeap } from '../columnar/index.ts';
import { Fault, readDocuments, readQuantity, YAML_START, type YamlPlace } from '../query/index.ts';
import { EXAMPLE, podOf, replicatedOf } from './manifest-shapes.ts';
import type { ContainerSpec, Metadata, PodSpec, Quantities } from './manifest-shapes.ts';
import { amountsOf, type Amounts, type Container, type Workload } from './workload.ts';

/** The specification in one manifest. */
interface Specified {
  readonly metadata: Metadata;
  readonly replicas: number;
  readonly pod: PodSpec;
}

const NANOS = 1e9;

/** Readers by kind; objects of other kinds cost nothing by themselves, or have no fixed number of pods. */
const READERS: Readonly<Record<string, (value: unknown, what: string) => Specified>> = {
  Deployment: replicated,
  StatefulSet: replicated,
  Pod(value, what) {
    const { metadata, spec } = podOf(value, what);
    return { metadata, replicas: 1, pod: spec };
  },
};

function replicated(value: unknown, what: string): Specified {
  const { metadata, spec } = replicatedOf(value, what);
  return { metadata, replicas: spec.replicas ?? 1, pod: spec.template.spec };
}

/** The start of a part of manifests, and the number of documents before it. */
export interface ManifestPlace extends YamlPlace {
  readonly documents: number;
}

export const MANIFESTS_START: ManifestPlace = { ...YAML_START, documents: 0 };

export interface ManifestPart {
  readonly workloads: Workload[];
  /** The start of the next part; null: this was the last. */
  readonly next: ManifestPlace | null;
}

/** Heap of a container that an alias repeats. */
const CONTAINER_BYTES = 200;

/**
 * @param text documents, and lists of kind `List`
 * @param namespaceByDefault of objects without one
 * @returns the workloads of a part in their order; objects of other kinds are left out
 * @throws {Fault} naming document and field, or the limit that the text exceeds
 */
export function readManifestPart(
  text: string,
  place: ManifestPlace,
  namespaceByDefault: string,
): ManifestPart {
  const { values, next } = readDocuments(text, place, 'the body', EXAMPLE);
  const documents = place.documents + values.length;
  const isAlone = documents === 1 && next === null;
  const objects = values.flatMap((value, i) =>
    objectsIn(value, isAlone ? 'the body' : `document ${place.documents + i + 1} of the body`),
  );
  const workloads = objects.flatMap(({ value, what }) => {
    const kind = fieldOf(value, 'kind');
    const read =
      typeof kind === 'string' && Object.hasOwn(READERS, kind) ? READERS[kind] : undefined;
    return read && typeof kind === 'string'
      ? [workloadOf(kind, read(value, what), namespaceByDefault, what)]
      : [];
  });
  return { workloads, next: next && { ...next, documents } };
}

/** The error if no part has a workload. */
export function noWorkload(): Fault {
  return new Fault(`the body has no ${Object.keys(READERS).join(', no ')}`, {
    hint: `for example ${EXAMPLE}`,
  });
}

interface Named {
  readonly value: unknown;
  /** The object's name in messages. */
  readonly what: string;
}

/** Flattens lists, which may contain lists. */
function objectsIn(value: unknown, what: string): Named[] {
  const items = fieldOf(value, 'items');
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, i) => objectsIn(one, `item ${i + 1} of ${what}`));
  }
  if (!/^(\w*)List$/.test(String(fieldOf(value, 'kind'))) || !Array.isArray(items)) {
    return [{ value, what }];
  }
  return items.flatMap((one: unknown, i) => objectsIn(one, `item ${i + 1} of ${what}`));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function workloadOf(
  kind: string,
  { metadata, replicas, pod }: Specified,
  namespaceByDefault: string,
  what: string,
): Workload {
  // Init containers that restart always (sidecars) run as long as the pod.
  const sidecars = (pod.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  return {
    namespace: metadata.namespace ?? namespaceByDefault,
    kind: kind.toLowerCase(),
    name: metadata.name,
    replicas,
    containers: [...pod.containers, ...sidecars].map((spec) => {
      spendHeap(CONTAINER_BYTES);
      return containerOf(spec, what);
    }),
  };
}

/** A limit without a request is the request, as the API server defaults it. */
function containerOf({ name, resources }: ContainerSpec, what: string): Container {
  const { requests, limits } = resources ?? {};
  const amounts = { ...limits, ...requests };
  const gpus = Object.keys(amounts).filter((key) => key.endsWith('/gpu'));
  const named: Readonly<Record<keyof Amounts, readonly string[]>> = {
    cpuCores: ['cpu'],
    ramBytes: ['memory'],
    gpus,
  };
  return {
    name,
    requests: amountsOf((resource) =>
      named[resource].reduce((sum, key) => sum + amountOf(amounts, key, `${what}, ${name}`), 0),
    ),
  };
}

function amountOf(quantities: NonNullable<Quantities>, key: string, where: string): number {
  const given = quantities[key];
  if (given === undefined) return 0;
  const nanos = readQuantity(String(given));
  if (nanos !== undefined && nanos >= 0n) return Number(nanos) / NANOS;
  throw new Fault(`'${String(given).slice(0, 80)}' is no amount of ${key} (${where})`, {
    parameter: key,
    hint: 'for example 100m, 1.5 or 64Mi',
  });
}
