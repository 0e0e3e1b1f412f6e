/** GET /assets: what there was to pay for, in stored days. */
import {
  beginning,
  fingerprint,
  parseQuery,
  unchanged,
  warningsHeader,
  type HttpReply,
  type HttpRequest,
  type Route,
} from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import { Told, writeAssets, type Answering } from './answer.ts';
import { KeptAdjustments } from './kept-adjustments.ts';
import { readAssetPlan, type AssetFormat, type AssetPlan } from './params.ts';
import type { StoredSet } from '../storage/index.ts';
import { findSets, type FindingOptions, type Found } from './stored.ts';

export interface AssetRouteOptions extends Omit<Answering, 'kept' | 'large'>, FindingOptions {
  readonly nowMs: () => number;
}

/** What of an answer is made before its head is sent. */
const COLLECTED_BYTES = 64 * 1024;
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
  const told = new Told(found);
  const same = unchanged(request, headersOf(plan, found, told));
  if (same) return same;
  const chunks = writeAssets(options, plan, found, told, request.signal);
  // What fails at once, such as a queue that is full, is told by the status.
  const body = await beginning(chunks, COLLECTED_BYTES);
  // The head is made last: once it is sent, nothing more can be told of the answer.
  told.headSent();
  return { status: 200, headers: headersOf(plan, found, told), body };
}

type Headers = HttpReply['headers'];

const asJson = (): Headers => ({ 'content-type': 'application/json' });

const HEADS: Readonly<Record<AssetFormat, (told: Told) => Headers>> = {
  json: asJson,
  topline: asJson,
  csv: ({ warnings, isPartial }) => ({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="assets.csv"',
    ...warningsHeader(warnings, isPartial),
  }),
};

/** What is damaged is not what the files say that a tag is of. */
function headersOf(plan: AssetPlan, found: Found, told: Told): Headers {
  const headers = HEADS[plan.format](told);
  return told.isDamaged ? headers : { ...headers, etag: `"${identity(plan, found)}"` };
}

/** What is asked, and the files that it is answered from. */
function identity(plan: AssetPlan, found: Found): string {
  const { days: _days, nowMs: _nowMs, ...asked } = plan;
  const stored = found.groups.map(({ window, members }) => [
    window,
    members.map((of) => of.stored),
  ]);
  // Many days are told of by the same lines.
  const of = found.groups.flatMap(({ members }) => members.flatMap(({ lines }) => lines));
  const lines = new Map(of.map((line) => [placeOf(line), line.directory]));
  return fingerprint([asked, stored, [...lines], found.warnings]);
}

function placeOf({ place }: StoredSet): string | number {
  return 'path' in place ? place.path : place.address;
}
