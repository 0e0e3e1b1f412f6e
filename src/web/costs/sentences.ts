/** Why a cost changed, in words. */
import { moneyChange, number } from '../format.ts';
import type { Change, Reason } from './change.ts';
import { GIB, type DetailRow } from './made-of.ts';

/** Reasons as they stand in tables. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  new: 'new workloads',
  gone: 'workloads that are gone',
  price: 'prices',
  hours: 'hours that they ran',
  requests: 'what they ask for',
  usage: 'use beyond what they ask for',
  disk: 'disks',
  network: 'network',
  balancer: 'load balancers',
  shared: 'shared costs',
  external: 'external costs',
  idle: 'idle of their nodes',
  bill: 'adjustments to the bill',
};

/** The parts of a change that count, as a sentence without the name. */
export function sentenceOf({ usd, parts, rowBefore, rowNow }: Change): string {
  const first = parts[0];
  if (first === undefined) return 'unchanged';
  if (first.reason === 'new') return 'new: it was not there before';
  if (first.reason === 'gone') return 'gone: it is not there any more';
  const told = parts.filter(({ usd: own }) => Math.abs(own) >= 0.2 * Math.abs(usd)).slice(0, 3);
  const words = told.map(({ reason, usd: own }) => {
    const says = wordsOf(reason, own, rowBefore, rowNow);
    return told.length > 1 ? `${says} (${moneyChange(own) || 'less than a cent'})` : says;
  });
  const price = parts.find(({ reason }) => reason === 'price');
  const isSamePrice = Math.abs(price?.usd ?? 0) < 0.02 * Math.abs(usd);
  return [...words, ...(isSamePrice ? ['prices unchanged'] : [])].join('; ');
}

function wordsOf(
  reason: Reason,
  usd: number,
  before: DetailRow | undefined,
  now: DetailRow | undefined,
): string {
  const more = usd > 0;
  switch (reason) {
    case 'price':
      return more ? 'prices rose' : 'prices fell';
    case 'hours':
      return `it ran ${difference(hours(before), hours(now), 'h')}`;
    case 'requests':
      return `it asks for ${asked(before, now) || (more ? 'more' : 'less')}`;
    case 'usage':
      return `it used ${more ? 'more' : 'less'} beyond what it asks for`;
    case 'new':
    case 'gone':
    case 'disk':
    case 'network':
    case 'balancer':
    case 'shared':
    case 'external':
    case 'idle':
    case 'bill':
      return `${more ? 'more' : 'less'} for ${REASON_WORDS[reason]}`;
  }
}

function hours(row: DetailRow | undefined): number {
  return (row?.minutes ?? 0) / 60;
}

function asked(before: DetailRow | undefined, now: DetailRow | undefined): string {
  const [cpu, ram] = [
    [before?.cpuCoreRequestAverage ?? 0, now?.cpuCoreRequestAverage ?? 0],
    [(before?.ramByteRequestAverage ?? 0) / GIB, (now?.ramByteRequestAverage ?? 0) / GIB],
  ] as const;
  return [
    differs(cpu) ? difference(...cpu, 'cores') : '',
    differs(ram) ? difference(...ram, 'GiB') : '',
  ]
    .filter(Boolean)
    .join(' and ');
}

function differs([before, now]: readonly [number, number]): boolean {
  return Math.abs(now - before) > 0.01 * Math.max(Math.abs(before), Math.abs(now), 0.5);
}

/** So that a difference never reads as none. */
const DIGITS = [
  { below: 0.1, digits: 2 },
  { below: 10, digits: 1 },
] as const;

/** `2.1 cores more`. */
function difference(before: number, now: number, unit: string): string {
  const by = Math.abs(now - before);
  const digits = DIGITS.find(({ below }) => by < below)?.digits ?? 0;
  return `${number(by, digits)} ${unit} ${now > before ? 'more' : 'less'}`;
}
