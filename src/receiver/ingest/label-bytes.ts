/** Labels of a series as encoded bytes: checked, in order, and as texts. */
import { isUtf8 } from 'node:buffer';
import { fieldBytes, writeHead } from '../../metrics/field-heads.ts';
import { Malformed, Wire } from './wire.ts';

/** Labels of one series take no more bytes than this. */
const LABELS_BYTES_MAX = 65_536;

const NAME = Buffer.from('__name__');
const LABEL = 0x0a;
const LABEL_NAME = 0x0a;
const LABEL_VALUE = 0x12;

interface Pair {
  readonly name: Buffer;
  readonly value: Buffer;
}

/** Why a series is refused. */
export interface RefusedLabels {
  readonly reason: string;
}

/**
 * Checked and as the store has them: sorted by name, without labels that have no value.
 * @param labels repeated prompb.Label as field 1, in any order
 * @throws {Malformed} when they are no such message
 */
export function canonicalLabels(labels: Uint8Array): Uint8Array | RefusedLabels {
  if (labels.length > LABELS_BYTES_MAX)
    return { reason: `labels of more than ${LABELS_BYTES_MAX} bytes` };
  if (!isUtf8(labels) && !areUtf8(labels)) return { reason: 'labels that are not UTF-8' };
  const pairs = pairsOf(labels).filter(({ value }) => value.length > 0);
  pairs.sort((a, b) => a.name.compare(b.name));
  for (const [index, { name }] of pairs.entries()) {
    if (name.length === 0) return { reason: 'a label without a name' };
    if (pairs[index + 1]?.name.equals(name))
      return { reason: `the label ${name.toString()} twice` };
  }
  if (!pairs.some(({ name }) => name.equals(NAME))) return { reason: 'no metric name' };
  return encoded(pairs);
}

/** The lengths between texts may look like no UTF-8. */
function areUtf8(labels: Uint8Array): boolean {
  return pairsOf(labels).every(({ name, value }) => isUtf8(name) && isUtf8(value));
}

function pairsOf(labels: Uint8Array): Pair[] {
  const bytes = Buffer.from(labels.buffer, labels.byteOffset, labels.length);
  const wire = new Wire(bytes);
  const pairs: Pair[] = [];
  while (wire.at < bytes.length) {
    if (wire.tag() !== LABEL) throw new Malformed('a label is no message');
    const end = wire.bytesEnd();
    pairs.push(pairOf(bytes, wire.at, end));
    wire.at = end;
  }
  return pairs;
}

function pairOf(bytes: Buffer, from: number, end: number): Pair {
  const wire = new Wire(bytes, from, end);
  let [name, value] = [bytes.subarray(0, 0), bytes.subarray(0, 0)];
  while (wire.at < end) {
    const tag = wire.tag();
    if (tag !== LABEL_NAME && tag !== LABEL_VALUE) {
      wire.skip(tag);
      continue;
    }
    const textEnd = wire.bytesEnd();
    const text = bytes.subarray(wire.at, textEnd);
    if (tag === LABEL_NAME) name = text;
    else value = text;
    wire.at = textEnd;
  }
  return { name, value };
}

function encoded(pairs: readonly Pair[]): Uint8Array {
  const sizes = pairs.map(({ name, value }) => fieldBytes(name.length) + fieldBytes(value.length));
  // Of a pool: a buffer of its own for each of a million series would take as much again.
  const out = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + fieldBytes(size), 0));
  let at = 0;
  for (const [index, { name, value }] of pairs.entries()) {
    at = writeHead(out, at, LABEL, sizes[index] ?? 0);
    at = writeHead(out, at, LABEL_NAME, name.length);
    out.set(name, at);
    at = writeHead(out, at + name.length, LABEL_VALUE, value.length);
    out.set(value, at);
    at += value.length;
  }
  return out;
}

/** Labels in their order as texts. */
export function labelTexts(labels: Uint8Array): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const { name, value } of pairsOf(labels)) texts[name.toString()] = value.toString();
  return texts;
}
