/** Names of blocks: 48 bits of time, 80 random ones, in Crockford's base 32 (https://github.com/ulid/spec). */
import { randomBytes } from 'node:crypto';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function createUlid(nowMs: number): string {
  let rest = BigInt(Math.floor(nowMs));
  for (const byte of randomBytes(10)) rest = (rest << 8n) | BigInt(byte);
  let text = '';
  for (let digit = 0; digit < 26; digit++, rest >>= 5n) text = DIGITS[Number(rest & 31n)] + text;
  return text;
}

export function isUlid(text: string): boolean {
  return ULID.test(text);
}
