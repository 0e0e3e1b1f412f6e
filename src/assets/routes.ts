/** GET /assets, in both dialects: nodes, disks, load balancers and networks of stored days, with their costs. */
import {
  answering,
  begun,
  caveatHeaders,
  type HttpReply,
  type QueryParams,
  type Route,
} from '../http/index.ts';
import { createAdmission } from '../pool/index.ts';
import { AnswerReport, writeAssets, type Answering } from './answer.ts';
import { CachedAdjustments } from './cached-adjustments.ts';
import { autocompleting } from './autocomplete.ts';
import { diffing } from './diff.ts';
import { readAssetMapPlan, readAssetPlan, type AssetFormat, type AssetPlan } from './params.ts';
import { discreet, type Calendar } from '../query/index.ts';
import { originOf } from '../storage/index.ts';
import { findSets, type FindingOptions, type Found } from './stored.ts';

export type AssetRouteOptions = Omit<Answering, 'adjustments' | 'large'> & FindingOptions;

/** The first bytes of an answer are collected before its head is sent. */
const COLLECTED_BYTES = 64 * 1024;
/** Answers that are too long to be copied, each with its reader. */
const LARGE = { lane: 'long lists of assets', running: 8, waiting: 64, waitMs: 10_000 };

export function assetRoutes(given: AssetRouteOptions): Route[] {
  const adjustments = new CachedAdjustments(given.compute);
  const options = { ...given, adjustments, large: createAdmission(LARGE) };
  return [
    { ...READ, path: '/assets', dialect: 'kubecost', handle: answered(options, readAssetPlan) },
    { ...READ, path: '/assets', dialect: 'opencost', handle: answered(options, readAssetMapPlan) },
    ...(['topline', 'totals', 'graph'] as const).map((format) => ({
      ...READ,
      path: `/assets/${format}`,
      handle: answered(options, (...given) => readAssetPlan(...given, format)),
    })),
    { ...READ, path: '/assets/diff', handle: diffing(options) },
    { ...READ, path: '/assets/autocomplete', handle: autocompleting(options) },
  ];
}

const READ = { method: 'GET', needs: 'viewer', scoping: 'joined' } as const;

type Options = AssetRouteOptions & Answering;

/** Reads a plan out of parameters, the calendar and the time. */
type Read = (params: QueryParams, calendar: Calendar, nowMs: number) => AssetPlan;

function answered(options: Options, read: Read): Route['handle'] {
  const { adjustments, clock } = options;
  return answering<AssetPlan, Found>({
    plan: (_, params) => read(params, clock.calendar, clock.nowMs()),
    async find(plan, ignored, isScoped) {
      let found = findSets(options, plan);
      // Lines are drawn from the left to the right.
      if (plan.format === 'graph') found = { ...found, groups: found.groups.toReversed() };
      if (isScoped) return { ...found, ...discreet(found, ignored) };
      const billed = await adjustments.withBilledWarnings(found);
      return { ...billed, warnings: [...ignored, ...billed.warnings] };
    },
    identity,
    // A tag stands for the files: an answer without a damaged one must not have it.
    isTagged: ({ isDamaged }) => !isDamaged,
    head: ({ format }, found) => HEADS[format](found),
    make(plan, found, signal) {
      const report = new AnswerReport(found);
      return {
        chunks: writeAssets(options, plan, found, report, signal),
        found: () => report.found,
        headSent: () => report.headSent(),
      };
    },
    // Early failures, such as a full queue, still become the status.
    serving: begun(COLLECTED_BYTES),
  });
}

type Headers = HttpReply['headers'];

const asJson = (): Headers => ({ 'content-type': 'application/json' });

const HEADS: Readonly<Record<AssetFormat, (found: Found) => Headers>> = {
  json: asJson,
  map: asJson,
  topline: asJson,
  totals: asJson,
  graph: asJson,
  csv: (found) => ({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="assets.csv"',
    ...caveatHeaders(found),
  }),
};

/** The request, and the files that answer it. */
function identity(plan: AssetPlan, found: Found): unknown {
  const { days: _days, nowMs: _nowMs, ...requested } = plan;
  const stored = found.groups.map(({ window, sets }) => [
    window,
    sets.map((of) => originOf(of.stored)),
  ]);
  // The lines of one file often bill many days.
  const of = found.groups.flatMap(({ sets: members }) => members.flatMap(({ lines }) => lines));
  const lines = new Set(of.map((line) => JSON.stringify(originOf(line))));
  return [requested, stored, [...lines], found.warnings];
}
