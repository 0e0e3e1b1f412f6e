/** Which cloud, region and zone a node is in, from its labels and its provider id. */

/** What labels and the provider id of a node tell; '' where they do not. */
export interface NodeClues {
  /** Such as `aws:///us-east-1a/i-0abc`. */
  readonly providerId: string;
  /** Region and zone, as labels have them. */
  readonly region: string;
  readonly zone: string;
  /** The cloud that the names of its labels speak of. */
  readonly cloud: string;
}

export interface NodePlace {
  /** As list prices name it; the scheme of the provider id where that is no cloud's; '' unknown. */
  readonly provider: string;
  /** '' unknown. */
  readonly region: string;
  readonly zone: string;
  /** A zone outside the region's data centres, with prices of its own: AWS Local Zones and Wavelength. */
  readonly isEdge: boolean;
}

/** Clouds by the schemes of provider ids, in lower case. */
const CLOUD_OF_SCHEME: ReadonlyMap<string, string> = new Map([
  ['aws', 'AWS'],
  ['gce', 'GCP'],
  ['azure', 'Azure'],
  ['digitalocean', 'DigitalOcean'],
  ['hcloud', 'Hetzner'],
  ['hrobot', 'Hetzner'],
  ['linode', 'Linode'],
  ['scaleway', 'Scaleway'],
  ['civo', 'Civo'],
  ['oci', 'Oracle'],
  ['openstack', 'OpenStack'],
]);

/** `us-east-1` of `us-east-1a`, `us-west-2-lax-1a` and `us-east-1-wl1-bos-wlz-1`. */
const AWS_REGION = /^[a-z]{2}(?:-[a-z]+){1,2}-\d+/;

export function placeOfNode({ providerId, region, zone, cloud }: NodeClues): NodePlace {
  const ofId = providerOfId(providerId);
  // Whoever runs an OpenStack is told by labels alone.
  const provider = (ofId === 'OpenStack' && cloud) || ofId || cloud;
  const inZone = zone || zoneOfId(provider, providerId);
  const inRegion = region || regionOfZone(provider, inZone);
  const isEdge = provider === 'AWS' && inRegion !== '' && inZone.startsWith(`${inRegion}-`);
  return { provider, region: inRegion, zone: inZone, isEdge };
}

/** The cloud of a provider id, else its scheme; '' without one. Oracle's ids have none (`ocid1.…`). */
export function providerOfId(providerId: string): string {
  if (/^ocid1\./i.test(providerId)) return 'Oracle';
  const scheme = /^([a-z][a-z0-9.+-]*):\/\//i.exec(providerId)?.[1]?.toLowerCase() ?? '';
  return CLOUD_OF_SCHEME.get(scheme) ?? scheme;
}

/** `aws:///us-east-1a/i-0abc`, `gce://project/us-central1-a/name`; other ids have none. */
function zoneOfId(provider: string, providerId: string): string {
  const [first = '', second = ''] = providerId.replace(/^\w+:\/\//, '').split('/');
  if (provider === 'AWS') return first === '' ? second : '';
  return provider === 'GCP' ? second : '';
}

function regionOfZone(provider: string, zone: string): string {
  if (provider === 'AWS') return AWS_REGION.exec(zone)?.[0] ?? '';
  if (provider === 'GCP') return zone.replace(/-[a-z]$/, '');
  // Azure writes 0, 1 … for a node that is in no zone.
  return provider === 'Azure' ? (/^([a-z0-9]+)-\d+$/.exec(zone)?.[1] ?? '') : '';
}
