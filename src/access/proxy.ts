/** Callers by what a proxy tells of them, from named addresses alone: from others it is as if it had not come. */
import { BlockList, isIP } from 'node:net';
import type { Identified, Identify, Role } from '../http/index.ts';

export interface ProxyOptions {
  /** Addresses and networks, such as `10.0.0.0/8`. */
  readonly trusted: readonly string[];
  /** In lower case. */
  readonly userHeader: string;
  readonly groupsHeader: string;
  readonly groupRoles: ReadonlyMap<string, Role>;
}

const NAME = /^[^\p{Cc},]{1,200}$/u;

export function identifyByProxy(options: ProxyOptions): Identify {
  const { trusted, userHeader, groupsHeader, groupRoles } = options;
  const isTrusted = trustedBy(trusted);
  return (request) => {
    if (!isTrusted(request.visit.peer)) return ELSEWHERE;
    const name = request.header(userHeader);
    if (name === '') return unsigned(userHeader);
    // Proxies that add a header instead of replacing it leave the client's own beside theirs.
    for (const header of [userHeader, groupsHeader])
      if (request.visit.isRepeated(header)) return repeated(header);
    if (!NAME.test(name)) return { why: `${userHeader} is not one name`, isRefused: true };
    const groups = request.header(groupsHeader).split(',');
    const roles = groups.flatMap((group) => groupRoles.get(group.trim()) ?? []);
    const known = [...new Set(roles)];
    return { name, roles: known, filter: null, expiresMs: null, isSignedIn: true };
  };
}

const ELSEWHERE: Identified = {
  why: 'who asks has to come through the proxy that signs them in',
  hint: 'the operator names its addresses by --trusted-proxies',
  isRefused: false,
};

function unsigned(userHeader: string): Identified {
  return { why: `the proxy does not tell who asks: ${userHeader} is empty`, isRefused: false };
}

function repeated(header: string): Identified {
  return {
    why: `${header} came more than once`,
    hint: 'the proxy has to replace the header of the client, not add its own',
    isRefused: true,
  };
}

/** @param networks that `isNetwork` takes */
export function trustedBy(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? fullBits(address) : Number(bits), family);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

/** Whether a text is an address, or a network as in `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/');
  if (isIP(address) === 0 || more !== undefined) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= fullBits(address));
}

function fullBits(address: string): number {
  return isIP(address) === 6 ? 128 : 32;
}
