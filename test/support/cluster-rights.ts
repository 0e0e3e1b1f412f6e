/**
 * What an API server's authorizer makes of Roles and calls: rights that are granted, rights that a call
 * needs, and where the two differ.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
 */
import type { ApiCall } from '../../src/cluster/index.ts';
import { manifestsIn, manifestText, type Manifest } from './manifests.ts';

export interface Right {
  readonly verb: string;
  /** '' for the core. */
  readonly group: string;
  /** With its subresource: `deployments/scale`. */
  readonly resource: string;
  /** '' for all namespaces. */
  readonly namespace: string;
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

const ACCOUNT = { kind: 'ServiceAccount', namespace: 'prorata' };
const PATH = /\/(?:api|apis\/([^/]+))\/v\w+(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/; // prettier-ignore

/** @throws for a call that names no resource, which no Role permits */
export function rightFor({ method, path }: ApiCall): Right {
  const [plain = '', query = ''] = path.split('?', 2);
  const found = PATH.exec(plain);
  if (found === null) throw new Error(`${method} ${path}: is of no resource`);
  const [, group = '', namespace = '', plural = '', name, subresource] = found;
  const isWatch = new URLSearchParams(query).get('watch') === 'true';
  const reads = name === undefined ? (isWatch ? 'watch' : 'list') : 'get';
  return {
    verb: method === 'GET' ? reads : method.toLowerCase(),
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace: decodeURIComponent(namespace),
  };
}

/**
 * Rights that bindings give an account of prorata.
 * @param namespace that manifests without one are applied to
 * @param account of the server, unless given
 * @throws for rules that are too wide, or of a form that is not used here
 */
export function grantsOf(
  manifests: readonly Manifest[],
  namespace: string,
  account: string = 'prorata',
): Right[] {
  const bindings = manifests.filter(({ kind }) => kind.endsWith('RoleBinding'));
  return bindings.flatMap((binding) => {
    const role = binding['roleRef'] as Reference;
    const subjects = binding['subjects'] as readonly Reference[];
    const isOurs = subjects.some(({ kind, name, namespace: of }) => {
      return kind === ACCOUNT.kind && name === account && of === ACCOUNT.namespace;
    });
    const bound = manifests.find(
      ({ kind, metadata }) => kind === role.kind && metadata.name === role.name,
    );
    if (!isOurs || bound === undefined) return [];
    const scope = binding.kind === 'ClusterRoleBinding' ? '' : namespace;
    return (bound['rules'] as readonly Rule[]).flatMap((rule) => rightsIn(rule, scope));
  });
}

function rightsIn(rule: Rule, namespace: string): Right[] {
  const { apiGroups = [], resources = [], verbs, ...others } = rule;
  const isWide = [apiGroups, resources, verbs].some((list) => list.includes('*'));
  if (isWide) throw new Error(`a rule has a '*': ${JSON.stringify(rule)}`);
  if (Object.keys(others).length > 0) throw new Error(`unknown form: ${JSON.stringify(rule)}`);
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ verb, group, resource, namespace }))),
  );
}

export function isGranted(grants: readonly Right[], need: Right): boolean {
  return grants.some((grant) => isSame(grant, need) && isWithin(grant, need));
}

/** A sentence for each call that is not granted, and for each right that no call needs. */
export function differences(grants: readonly Right[], needs: readonly Right[]): string[] {
  const refused = needs.filter((need) => !isGranted(grants, need));
  const idle = grants.filter(
    (grant) => !needs.some((need) => isSame(grant, need) && isWithin(grant, need)),
  );
  const sentences = [
    ...refused.map((right) => `${textOf(right)} is called, and no rule permits it`),
    ...idle.map((right) => `${textOf(right)} is permitted, and never called`),
  ];
  return [...new Set(sentences)].toSorted();
}

export function textOf({ verb, group, resource, namespace }: Right): string {
  const where = namespace === '' ? 'in all namespaces' : `in ${namespace}`;
  return `${verb} ${group === '' ? resource : `${resource}.${group}`} ${where}`;
}

function isSame(a: Right, b: Right): boolean {
  return a.verb === b.verb && a.group === b.group && a.resource === b.resource;
}

function isWithin(grant: Right, need: Right): boolean {
  return grant.namespace === '' || grant.namespace === need.namespace;
}

/** Manifests of each tier of rights. */
export const TIERS: Readonly<Record<string, readonly string[]>> = {
  read: ['rights/read/rights.yaml'],
  agent: ['rights/agent/rights.yaml'],
  write: ['rights/write/plan.yaml', 'rights/write/apply.yaml'],
};

/** Everything that any tier permits, in every namespace: what no tier permits no test gets either. */
export const SHIPPED: readonly Right[] = Object.keys(TIERS).flatMap(shippedOf);

/** What a tier's manifests permit its account, in every namespace. */
export function shippedOf(tier: string): Right[] {
  const account = tier === 'agent' ? 'prorata-agent' : 'prorata';
  return (TIERS[tier] ?? []).flatMap((name) =>
    grantsOf(manifestsIn(manifestText(name)), '', account),
  );
}
