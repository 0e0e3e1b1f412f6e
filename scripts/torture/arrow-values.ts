/** A stream of Arrow, read by the ordinary reader, value by value against the expected rows. */
import { readFileSync } from 'node:fs';
import { arrowBatches, type ArrowRow } from '../../test/support/references/arrow-rows.ts';
import type { Day } from './days.ts';
import {
  END_SOURCES,
  expectedRows,
  IDENTITY,
  type Aggregate,
  type Shown,
} from './expected-rows.ts';
import { numbersOf } from './expected-text.ts';

const NONE_PARTS: readonly string[] = ['cluster', 'node', 'namespace', 'pod', 'container'];

/**
 * @param path of the file with the stream
 * @param days oldest first; batches come newest first, one a day
 * @returns what differs first
 */
export function arrowFault(
  path: string,
  days: readonly Day[],
  aggregate: Aggregate,
): string | undefined {
  const batches = arrowBatches(readFileSync(path));
  if (batches.length !== days.length) return `${batches.length} batches of ${days.length} days`;
  for (const [place, day] of days.toReversed().entries()) {
    const expected = expectedRows([day], aggregate);
    const rows = batches[place] ?? [];
    if (rows.length !== expected.length) return `${rows.length} rows, not ${expected.length}`;
    for (const [i, row] of rows.entries()) {
      const fault = expected[i] && rowFault(row, valuesOf(expected[i], day, aggregate));
      if (fault !== undefined) return `batch ${place}, row ${i}: ${fault}`;
    }
  }
  return undefined;
}

function rowFault(row: ArrowRow, expected: ArrowRow): string | undefined {
  for (const name in row) {
    const value = expected[name] ?? 0;
    if (!Object.is(row[name], value)) return `${name} is ${row[name]}, not ${value}`;
  }
  const missing = Object.keys(expected).find((name) => !(name in row) && expected[name] !== 0);
  return missing === undefined ? undefined : `${missing} is not there`;
}

function valuesOf(row: Shown, day: Day, aggregate: Aggregate): ArrowRow {
  const { cpuCoreUsageMax, ramByteUsageMax, ...numbers } = withoutHidden(row);
  const isRaw = aggregate === 'none';
  const parts = isRaw ? NONE_PARTS : [aggregate];
  return {
    ...numbers,
    ...(isRaw ? { cpuCoreUsageMax, ramByteUsageMax, pvs: row.pvs, lbAllocations: '' } : {}),
    ...Object.fromEntries(IDENTITY.map((name) => [name, row.identity[name]])),
    ...row.objects,
    instanceType: '',
    region: '',
    zone: '',
    nodePool: '',
    services: row.services,
    name: row.name,
    ...Object.fromEntries(parts.map((name, i) => [name, row.parts[i] ?? ''])),
    windowStart: day.startMs,
    windowEnd: day.endMs,
    start: row.startMs,
    end: row.endMs,
    priceSource: row.priceSource,
    endSource: END_SOURCES[row.endSource] ?? '',
    endUncertaintySeconds: row.endUncertaintyMs / 1000,
  };
}

/** Hours of requests and of usage are shown as averages alone. */
function withoutHidden(row: Shown): Record<string, number> {
  const hidden = /^(cpuCore|ramByte|gpu)(Request|Usage)Hours$/;
  return Object.fromEntries(Object.entries(numbersOf(row)).filter(([name]) => !hidden.test(name)));
}
