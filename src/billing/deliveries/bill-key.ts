/**
 * Names of stored bills. Each part of a delivery is a set of the kind
 *
 *   bill-<as>-<source>-<billing period's start>-<when it was stored>-<part>
 *   bill-cloud-aws-20240901t0000-mbtd6h80-0
 *
 * so that no part ever has the name of an earlier one: a replaced part cannot come back.
 */
import { Fault, MINUTE_MS, nearest } from '../../query/index.ts';

/** Purposes of bills: the cloud's own costs, or costs of others. */
export const PURPOSES = ['cloud', 'external'] as const;

export type Purpose = (typeof PURPOSES)[number];

/** Who bills, and for what purpose. */
export interface SourceId {
  readonly as: Purpose;
  /** 1 to 20 of lower-case letters, digits and dashes. */
  readonly source: string;
}

export interface Delivery extends SourceId {
  /** When it was stored, or later; Unix ms, different for each delivery of the source. */
  readonly storedMs: number;
}

export interface BillKind extends Delivery {
  /** Start of the billing period, Unix ms. */
  readonly periodMs: number;
  readonly part: number;
}

export function isSameSource(a: SourceId, b: SourceId): boolean {
  return a.as === b.as && a.source === b.source;
}

const KIND = /^bill-(cloud|external)-([a-z0-9-]{1,20})-(\d{8}t\d{4})-([0-9a-z]{1,9})-(\d{1,5})$/;
const SOURCE = /^[a-z0-9][a-z0-9-]{0,19}$/;
const PART_MAX = 99_999;

export function billKind({ as, source, storedMs, periodMs, part }: BillKind): string {
  if (part > PART_MAX) throw new Fault(`a delivery of more than ${PART_MAX} parts is too large`);
  // Periods begin with minutes; 2024-09-01T00:00 is 20240901t0000.
  const minute = new Date(Math.floor(periodMs / MINUTE_MS) * MINUTE_MS).toISOString();
  const period = minute.slice(0, 16).replace(/[-:]/g, '').toLowerCase();
  return `bill-${as}-${source}-${period}-${storedMs.toString(36)}-${part}`;
}

/** @returns undefined for a set of another kind */
export function readBillKind(kind: string): BillKind | undefined {
  const [, as, source = '', period = '', stored = '', part = ''] = KIND.exec(kind) ?? [];
  if (as !== 'cloud' && as !== 'external') return undefined;
  const iso = period.toUpperCase().replace(/^(....)(..)(..)T(..)(..)$/, '$1-$2-$3T$4:$5:00Z');
  const periodMs = Date.parse(iso);
  return { as, source, periodMs, storedMs: parseInt(stored, 36), part: Number(part) };
}

/** @throws {Fault} naming the parameter */
export function readPurpose(text: string | undefined, parameter: string): Purpose {
  const known = PURPOSES.find((purpose) => purpose === text);
  if (known !== undefined) return known;
  const near = nearest(text ?? '', PURPOSES);
  throw new Fault(
    text === undefined ? `${parameter} is needed` : `${parameter}: '${text}' is no purpose`,
    {
      parameter,
      hint: near === undefined ? `${parameter} cloud or external` : `did you mean '${near}'?`,
    },
  );
}

export function isSource(name: string): boolean {
  return SOURCE.test(name);
}

/** @throws {Fault} naming the parameter */
export function readSource(text: string, parameter: string): string {
  if (isSource(text)) return text;
  throw new Fault(`${parameter}: '${text.slice(0, 80)}' is no name of a source`, {
    parameter,
    hint: 'at most 20 lower-case letters, digits and dashes, such as aws-main',
  });
}
