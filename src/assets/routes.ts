/** GET /assets: what there was to pay for, in stored days. */
import {
  fingerprint,
  parseQuery,
  stream,
  unchanged,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import { writeAssets, type Answering } from './answer.ts';
import { KeptAdjustments } from './kept-adjustments.ts';
import { readAssetPlan, type AssetFormat, type AssetPlan } from './params.ts';
import type { StoredSet } from '../storage/index.ts';
import { findSets, type FindingOptions, type Found } from './stored.ts';

export interface AssetRouteOptions extends Omit<Answering, 'kept' | 'large'>, FindingOptions {
  readonly nowMs: () => number;
}

/** Answers that are too long to be copied, each with its reader. */
const LARGE = { running: 8, waiting: 64, waitMs: 10_000 };

export function assetRoutes(given: AssetRouteOptions): Route[] {
  const options = { ...given, kept: new KeptAdjustments(given), large: createAdmission(LARGE) };
  return [
    { method: 'GET', path: '/assets', handle: (request) => handle(options, request) },
    { method: 'GET', path: '/assets/topline', handle: (request) => handle(options, request, 'topline') }, // prettier-ignore
  ];
}

type Options = AssetRouteOptions & Answering;

async function handle(
  options: Options,
  request: HttpRequest,
  only?: AssetFormat,
): Promise<HttpReply> {
  const plan = readAssetPlan(parseQuery(request.query), options.calendar, options.nowMs(), only);
  const found = findSets(options, plan);
  const { type, headers } = tagged(HEADS[plan.format](found), plan, found);
  const same = unchanged(request, headers);
  if (same) return same;
  const chunks = writeAssets(options, plan, found, request.signal);
  // What fails at once, such as a queue that is full, is told by the status.
  const first = await chunks.next();
  return stream(type, following(first, chunks), headers);
}

const asJson = (): Head => ({ type: 'application/json', headers: {} });

const HEADS: Readonly<Record<AssetFormat, (found: Found) => Head>> = {
  json: asJson,
  topline: asJson,
  csv: ({ warnings }) => ({
    type: 'text/csv; charset=utf-8',
    headers: {
      'content-disposition': 'attachment; filename="assets.csv"',
      ...(warnings.length > 0 ? { 'x-prorata-warnings': printable(warnings.join('; ')) } : {}),
    },
  }),
};

interface Head {
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** By what is asked, and the files that it is answered from. */
function tagged({ type, headers }: Head, plan: AssetPlan, found: Found): Head {
  const { days: _days, nowMs: _nowMs, ...asked } = plan;
  const stored = found.groups.map(({ window, members }) => [
    window,
    members.map((of) => of.stored),
  ]);
  // Many days are told of by the same lines.
  const of = found.groups.flatMap(({ members }) => members.flatMap(({ lines }) => lines));
  const lines = new Map(of.map((line) => [placeOf(line), line.directory]));
  const id = fingerprint([asked, stored, [...lines], found.warnings]);
  return { type, headers: { ...headers, etag: `"${id}"` } };
}

function placeOf({ place }: StoredSet): string | number {
  return 'path' in place ? place.path : place.address;
}

function printable(text: string): string {
  return text.replaceAll(/[^\u0020-\u007e]/g, '?');
}

/** Not a generator: what ends before it was begun is to end the rest, too. */
function following(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void>,
): AsyncIterableIterator<Uint8Array> {
  let isBegun = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const result = isBegun ? await rest.next() : first;
      isBegun = true;
      return result;
    },
    async return() {
      await rest.return();
      return { done: true, value: undefined };
    },
  };
}
