/**
 * One spelling for a cloud resource, whether Kubernetes names it or a bill does:
 *
 *   aws:///us-east-1a/i-0abc, arn:aws:ec2:us-east-1:1:instance/i-0abc               i-0abc
 *   aws://us-east-1a/vol-0abc, arn:aws:ec2:us-east-1:1:volume/vol-0abc              vol-0abc
 *   NAME-HASH.elb.us-east-1.amazonaws.com, arn:aws:…:loadbalancer/net/NAME/HASH     name-hash
 *   gce://P/Z/NAME, //compute.googleapis.com/projects/P/zones/Z/instances/NAME      projects/p/…
 *   azure:///subscriptions/…                                                        /subscriptions/…
 *
 * Case does not matter; what is spelled otherwise stands for itself. Spellings of ids of machines:
 * https://kubernetes.io/docs/reference/node/node-labels/ and the providers' own controllers; ARNs:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */

type Spelling = readonly [form: RegExp, key: (match: RegExpExecArray) => string];

const SPELLINGS: readonly Spelling[] = [
  [/^aws:\/\/.*?\/([^/]+)$/, ([, id = '']) => id],
  [
    /^arn:.*:loadbalancer\/(?:app|net|gwy)\/([^/]+)\/([^/]+)$/,
    ([, name, hash]) => `${name}-${hash}`,
  ],
  [/^arn:.*:(?:instance|volume)\/([^/]+)$/, ([, id = '']) => id],
  [
    /^(?:internal-)?([^./]+)\.(?:elb\.[^./]+|[^./]+\.elb)\.amazonaws\.com$/,
    ([, name = '']) => name,
  ],
  [/^gce:\/\/([^/]+)\/([^/]+)\/([^/]+)$/, ([, ...parts]) => machine(parts)],
  [/^(?:https?:)?\/\/[^/]*(?:googleapis|google)\.com\/(?:compute\/v1\/)?(projects\/.+)$/, ([, path = '']) => path], // prettier-ignore
  [/^azure:\/\/(\/.+)$/, ([, path = '']) => path],
];

function machine([project = '', zone = '', name = '']: readonly string[]): string {
  return `projects/${project}/zones/${zone}/instances/${name}`;
}

/** @returns '' for no id */
export function resourceKey(id: string): string {
  const text = id.trim().toLowerCase();
  for (const [form, key] of SPELLINGS) {
    const match = form.exec(text);
    if (match) return key(match);
  }
  return text;
}
