/** Remote reads as src/metrics/readers/remote-read.ts asks for them, to be downloaded and thrown away. */
import {
  factReads,
  FACTS,
  USAGE,
  type FactName,
  type Selection,
  type TimeRange,
} from '../src/metrics/index.ts';
import { encodeReadRequest } from '../src/metrics/readers/remote-read-request.ts';
import { snappy } from '../src/metrics/readers/snappy.ts';
import type { Download } from './download.ts';

/** Requests of CPU and of memory are two streams: together they are as much as both usages. */
export function fourStreams(): Selection[] {
  const { metric } = FACTS.requests.selection;
  const requests = ['cpu', 'memory'].map((value) => ({
    metric,
    matchers: [{ label: 'resource', operator: '=' as const, value }],
  }));
  return [USAGE.cpu, USAGE.ram, ...requests];
}

/** All that a query reads: facts, of which the requests are the largest, and both usages. */
export function allStreams(): Selection[] {
  return [...(Object.keys(FACTS) as FactName[]).flatMap(factReads), USAGE.cpu, USAGE.ram];
}

/** The reads of `selections` from the store at `url`. */
export function readsOf(
  url: string,
  selections: readonly Selection[],
  range: TimeRange,
): Download[] {
  return selections.map((selection) => ({
    method: 'POST',
    origin: url,
    path: '/api/v1/read',
    headers: {
      'accept-encoding': 'identity',
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'x-prometheus-remote-read-version': '0.1.0',
    },
    body: snappy(encodeReadRequest(selection, range)),
  }));
}
