/**
 * One spelling for a cloud resource, for both its id in Kubernetes and its id in a bill:
 *
 *   aws:///us-east-1a/i-0abc, arn:aws:ec2:us-east-1:1:instance/i-0abc               i-0abc
 *   aws://us-east-1a/vol-0abc, arn:aws:ec2:us-east-1:1:volume/vol-0abc              vol-0abc
 *   NAME-HASH.elb.us-east-1.amazonaws.com, arn:aws:…:loadbalancer/net/NAME/HASH     name-hash
 *   NAME-1234.us-east-1.elb.amazonaws.com, arn:aws:…:us-east-1:1:loadbalancer/NAME  us-east-1/name
 *   gce://P/Z/NAME, //compute.googleapis.com/projects/P/zones/Z/instances/NAME      projects/p/…
 *   azure:///subscriptions/…                                                        /subscriptions/…
 *
 * Case does not matter; other ids are only lowered. Spellings of ids of machines:
 * https://kubernetes.io/docs/reference/node/node-labels/ and the providers' own controllers; ARNs:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */

interface Spelling {
  /** A part of such ids: a quick test, as a bill may have a million ids. */
  readonly mark: string;
  readonly form: RegExp;
  readonly key: (match: RegExpExecArray) => string;
}

const SPELLINGS: readonly Spelling[] = [
  { mark: 'aws://', form: /^aws:\/\/.*?\/([^/]+)$/, key: first },
  {
    mark: ':loadbalancer/',
    form: /^arn:.*:loadbalancer\/(?:net|gwy)\/([^/]+)\/([^/]+)$/,
    key: ([, name, hash]) => `${name}-${hash}`,
  },
  {
    // The number in the host name of a classic or application balancer is not in its ARN.
    mark: ':loadbalancer/',
    form: /^arn:[^:]*:[^:]*:([^:]*):.*:loadbalancer\/(?:app\/([^/]+)\/[^/]+|([^/]+))$/,
    key: ([, region, application, classic]) => `${region}/${application ?? classic}`,
  },
  { mark: 'arn:', form: /^arn:.*:(?:instance|volume)\/([^/]+)$/, key: first },
  {
    mark: '.amazonaws.com',
    form: /^(?:internal-)?([^./]+)\.elb\.[^./]+\.amazonaws\.com$/,
    key: first,
  },
  {
    mark: '.elb.amazonaws.com',
    form: /^(?:internal-|dualstack\.|ipv6\.)*([^./]+)-\d+\.([^./]+)\.elb\.amazonaws\.com$/,
    key: ([, name, region]) => `${region}/${name}`,
  },
  {
    mark: 'gce://',
    form: /^gce:\/\/([^/]+)\/([^/]+)\/([^/]+)$/,
    key: ([, ...parts]) => machine(parts),
  },
  {
    mark: '/projects/',
    form: /^(?:https?:)?\/\/[^/]*(?:googleapis|google)\.com\/(?:compute\/v1\/)?(projects\/.+)$/,
    key: first,
  },
  { mark: 'azure://', form: /^azure:\/\/(\/.+)$/, key: first },
];

function first([, text = '']: RegExpExecArray): string {
  return text;
}

function machine([project = '', zone = '', name = '']: readonly string[]): string {
  return `projects/${project}/zones/${zone}/instances/${name}`;
}

/** Azure's: subscriptions and groups of resources, a machine of a scale set, and what its controller makes. */
const GROUP = String.raw`(/subscriptions/[^/]+/resourcegroups/[^/]+)/providers/microsoft\.`;
const SCALE_SET = /^(.*\/virtualmachinescalesets\/[^/]+)\/virtualmachines\/[^/]+$/;
const MACHINE_IN_GROUP = new RegExp(`^${GROUP}compute/virtualmachine`);
const BALANCER_IN_GROUP = new RegExp(
  `^${GROUP}network/(?:loadbalancers/kubernetes(?:-internal)?|publicipaddresses/kubernetes-a[0-9a-z]+(?:-ipv6)?)$`,
);

/** The scale set of a machine, whose charges its machines share; '' for other resources. @param key of `resourceKey` */
export function scaleSetOf(key: string): string {
  return key.includes('/virtualmachinescalesets/') ? (SCALE_SET.exec(key)?.[1] ?? '') : '';
}

/**
 * The balancers of a cluster on Azure, which bills one for all services, and addresses by the ids of services:
 * a key of all of them, by the group of resources that the cluster's nodes are in.
 * @param key of `resourceKey`, of a machine or of a resource in a bill
 * @returns '' for other resources
 */
export function balancersBeside(key: string): string {
  if (!key.startsWith('/subscriptions/')) return '';
  const group = (MACHINE_IN_GROUP.exec(key) ?? BALANCER_IN_GROUP.exec(key))?.[1];
  return group === undefined ? '' : `${group}/balancers`;
}

/** The key by which a line of a bill is shared among assets; that of the resource where it is of one asset. */
export function sharedKey(key: string): string {
  return (key.includes('/microsoft.network/') && balancersBeside(key)) || key;
}

/** @returns '' for no id */
export function resourceKey(id: string): string {
  const text = id.trim().toLowerCase();
  for (const { mark, form, key } of SPELLINGS) {
    const match = text.includes(mark) ? form.exec(text) : null;
    if (match) return key(match);
  }
  return text;
}
