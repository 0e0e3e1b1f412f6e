/**
 * Texts that are stored whole, with a head by which damage is seen:
 *
 *   prorata-<name> <format> <CRC-32 of the body, 8 hex digits>
 *   <body>
 */
import { crc32 } from 'node:zlib';

const FORMAT = 1;
const HEAD = /^prorata-([a-z-]+) (\d{1,6}) ([0-9a-f]{8})\n/;

/** Why a text has no body. */
export interface DamagedText {
  readonly damage: string;
  /** A later version of this program wrote it. */
  readonly isNewer: boolean;
}

export function checkedText(name: string, body: string): string {
  return `prorata-${name} ${FORMAT} ${checksum(body)}\n${body}`;
}

/** @returns the body of the text, or why there is none */
export function readChecked(name: string, text: string): { readonly body: string } | DamagedText {
  const [head = '', found, format, sum] = HEAD.exec(text) ?? [];
  if (found !== name) return { damage: 'it does not begin as it was written', isNewer: false };
  if (Number(format) > FORMAT) return { damage: `its format is ${format}`, isNewer: true };
  const body = text.slice(head.length);
  if (checksum(body) === sum) return { body };
  return { damage: 'it has not the bytes written', isNewer: false };
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
