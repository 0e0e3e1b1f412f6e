/**
 * What a request of remote write says of its body, and which of that is read: one media type, two messages and one
 * compression (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/#protocol). Anything else is 415, by which
 * senders know that they may try another; so VictoriaMetrics' agent falls back from zstd to snappy.
 */
import { Fault } from '../query/index.ts';
import type { WriteVersion } from './receiver.ts';

const MEDIA_TYPE = 'application/x-protobuf';

/** Messages by their full names; without a name it is the first. */
const MESSAGES: readonly (readonly [name: string, version: WriteVersion])[] = [
  ['prometheus.WriteRequest', '1.0'],
  ['io.prometheus.write.v2.Request', '2.0'],
];

/** A parameter of a media type, RFC 9110, 5.6.6. */
const PARAMETER = /^\s*([!#$%&'*+.^_`|~\w-]+)=("?)([^"]*)\2\s*$/;

/**
 * @param contentType the header; browsers cannot send this type from pages of other sites without being asked first
 * @throws {Fault} 415 for another type or message
 */
export function versionOf(contentType: string): WriteVersion {
  const [media = '', ...parameters] = contentType.split(';');
  if (media.trim().toLowerCase() !== MEDIA_TYPE) throw otherType(contentType);
  const pairs = parameters.map((text) => PARAMETER.exec(text) ?? []);
  const named = pairs.find(([, name = '']) => name.toLowerCase() === 'proto');
  if (named === undefined) return '1.0';
  const version = MESSAGES.find(([name]) => name === named[3])?.[1];
  if (version === undefined) throw otherType(contentType);
  return version;
}

/** @throws {Fault} 415 for another compression than snappy, or none */
export function checkEncoding(contentEncoding: string): void {
  if (contentEncoding.trim().toLowerCase() === 'snappy') return;
  throw unsupported('content-encoding', contentEncoding, 'snappy, in its block format');
}

function otherType(contentType: string): Fault {
  const names = MESSAGES.map(([name]) => name).join(' or ');
  return unsupported('content-type', contentType, `${MEDIA_TYPE};proto=${names}`);
}

function unsupported(header: string, value: string, accepted: string): Fault {
  const shown = value === '' ? 'is missing' : `'${value.slice(0, 80)}' is not read`;
  return new Fault(`${header} ${shown}`, {
    status: 415,
    parameter: header,
    hint: `it is ${accepted}`,
  });
}
