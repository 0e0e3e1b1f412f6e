/** What has to be said of a workload, so that a broken process can do little: a sentence for each lack. */
import type { Manifest } from './manifests.ts';

type Node = Readonly<Record<string, unknown>>;

/** @returns undefined where a part of the path is not there */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .filter(Boolean)
    .reduce<unknown>((node, key) => Object(node)[key] as unknown, value);
}

/** Paths within the pod, and what must stand there. */
// prettier-ignore
const POD: readonly (readonly [path: string, value: unknown])[] = [
  ['securityContext.runAsNonRoot', true],
  ['securityContext.runAsUser', 65_532],
  ['securityContext.runAsGroup', 65_532],
  ['securityContext.fsGroup', 65_532],
  ['securityContext.seccompProfile', { type: 'RuntimeDefault' }],
  ['automountServiceAccountToken', undefined], // the account's own `false` counts, until a tier is switched on
  ['hostNetwork', undefined],
  ['hostPID', undefined],
  ['hostIPC', undefined],
  ['enableServiceLinks', false],
];

/** The same within each container. */
// prettier-ignore
const CONTAINER: readonly (readonly [path: string, value: unknown])[] = [
  ['securityContext', { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } }],
  ['startupProbe.httpGet', { path: '/healthz', port: 'http' }],
  ['livenessProbe.httpGet', { path: '/healthz', port: 'http' }],
  ['readinessProbe.httpGet', { path: '/readyz', port: 'http' }],
];

const NEEDED = ['resources.requests.cpu', 'resources.requests.memory', 'resources.limits.memory'];

/** @param manifests all that is applied together */
export function lacks(manifests: readonly Manifest[]): string[] {
  const pods = manifests.flatMap((one) => {
    const pod = at(one, 'spec.template.spec');
    return pod === undefined ? [] : [{ name: `${one.kind} ${one.metadata.name}`, one, pod }];
  });
  return [
    ...(pods.length === 1 ? [] : [`${pods.length} workloads, not one`]),
    ...pods.flatMap(({ name, one, pod }) => [
      ...wrong(name, pod, POD),
      ...containersOf(pod).flatMap((container) => lacksOfContainer(name, container)),
      ...lacksOfVolumes(name, one, pod),
      ...lacksAround(name, one, pod, manifests),
    ]),
  ];
}

function containersOf(pod: unknown): readonly Node[] {
  const kinds = ['initContainers', 'containers', 'ephemeralContainers'];
  return kinds.flatMap((kind) => (at(pod, kind) ?? []) as readonly Node[]);
}

function lacksOfContainer(name: string, container: Node): string[] {
  const missing = NEEDED.filter((path) => at(container, path) === undefined);
  return [
    ...wrong(name, container, CONTAINER),
    ...missing.map((path) => `${name}: ${path} is missing`),
  ];
}

/** One volume can be written: the claim. Beside it there are secrets, read alone. */
function lacksOfVolumes(name: string, one: Manifest, pod: unknown): string[] {
  const claims = ((at(one, 'spec.volumeClaimTemplates') ?? []) as readonly Node[]).length;
  const others = ((at(pod, 'volumes') ?? []) as readonly Node[]).filter(
    (volume) => volume['secret'] === undefined,
  );
  const mounts = containersOf(pod).flatMap(
    (container) => (at(container, 'volumeMounts') ?? []) as readonly Node[],
  );
  const written = mounts.filter((mount) => mount['readOnly'] !== true);
  const isFine = claims === 1 && others.length === 0 && written.length === 1;
  return isFine ? [] : [`${name}: one claim is written, and nothing else but secrets is mounted`];
}

function lacksAround(
  name: string,
  one: Manifest,
  pod: unknown,
  manifests: readonly Manifest[],
): string[] {
  const { namespace = '' } = one.metadata;
  const labels = JSON.stringify(at(one, 'spec.template.metadata.labels'));
  const selects = (kind: string, path: string): Manifest | undefined =>
    manifests.find(
      (each) =>
        each.kind === kind &&
        each.metadata.namespace === namespace &&
        JSON.stringify(at(each, path)) === labels,
    );
  const account = manifests.find(
    ({ kind, metadata }) =>
      kind === 'ServiceAccount' && metadata.name === at(pod, 'serviceAccountName'),
  );
  const space = manifests.find(
    ({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace,
  );
  const policy = selects('NetworkPolicy', 'spec.podSelector.matchLabels');
  const isClosed =
    JSON.stringify(at(policy, 'spec.policyTypes')) === '["Ingress","Egress"]' &&
    isNarrow(at(policy, 'spec.ingress'), 'from') &&
    isNarrow(at(policy, 'spec.egress'), 'to');
  const level = Object(at(space, 'metadata.labels')) as Node;
  const checks: readonly (readonly [isFine: boolean, lack: string])[] = [
    [at(account, 'automountServiceAccountToken') === false, 'its account mounts a token'],
    [level['pod-security.kubernetes.io/enforce'] === 'restricted', 'its namespace takes any pod'],
    [isClosed, 'no policy closes its network in both directions'],
    [selects('Service', 'spec.selector') !== undefined, 'no service leads to it'],
    [
      at(selects('PodDisruptionBudget', 'spec.selector.matchLabels'), 'spec.maxUnavailable') === 1,
      'no budget lets its node be drained',
    ],
  ];
  return checks.flatMap(([isFine, lack]) => (isFine ? [] : [`${name}: ${lack}`]));
}

/** Every rule names who is at the other end, and at which ports. */
function isNarrow(rules: unknown, end: 'from' | 'to'): boolean {
  return (
    Array.isArray(rules) &&
    (rules as readonly unknown[]).every((rule) => {
      const [ends, ports] = [at(rule, end), at(rule, 'ports')];
      return Array.isArray(ends) && ends.length > 0 && Array.isArray(ports) && ports.length > 0;
    })
  );
}

function wrong(
  name: string,
  value: unknown,
  expected: readonly (readonly [path: string, value: unknown])[],
): string[] {
  return expected.flatMap(([path, is]) => {
    const found = JSON.stringify(at(value, path));
    if (found === JSON.stringify(is)) return [];
    return [`${name}: ${path} is ${found}, not ${JSON.stringify(is)}`];
  });
}
