/** GET /assets/diff: what assets cost in two windows, and how that changed. */
import { answeringWhole, caveatFields, json, readRowFilter, type Route } from '../http/index.ts';
import { withOwner } from '../columnar/index.ts';
import { daysOf, discreet, refuse, withNotes, type Caveats, type Window } from '../query/index.ts';
import { adjustedSet, AnswerReport, reportDamages, type Answering } from './answer.ts';
import type { AssetChange } from './changes.ts';
import type { AssetQuery } from './groups.ts';
import { DEFAULT_KEYS, readKeys } from './keys.ts';
import { ASSET_FILTERS, WINDOW_ACCEPTED } from './params.ts';
import { findSets, type FindingOptions } from './stored.ts';
import type { AdjustedSet } from './tasks.ts';

interface DiffPlan {
  readonly before: readonly Window[];
  readonly after: readonly Window[];
  readonly query: AssetQuery;
  readonly leastRatio: number;
  readonly isAdjusted: boolean;
  readonly nowMs: number;
}

interface Diff extends Caveats {
  readonly changes: readonly AssetChange[];
}

type Options = FindingOptions & Answering;

export function diffing(options: Options): Route['handle'] {
  const { clock, admission } = options;
  return answeringWhole<DiffPlan, Diff>({
    plan(_, params) {
      const { calendar } = clock;
      const nowMs = clock.nowMs();
      const read = (parameter: string, example: string): Window[] => {
        const text = params.required(parameter, WINDOW_ACCEPTED, example);
        return daysOf(params.daysWindow(text, { nowMs, calendar, parameter }), calendar);
      };
      return {
        before: read('before', 'lastweek'),
        after: read('after', 'week'),
        query: {
          keys: params.parsed('aggregate', readKeys, DEFAULT_KEYS),
          filter: readRowFilter(params, ASSET_FILTERS),
        },
        leastRatio: params.parsed('costChangeRatio', readRatio, 0),
        isAdjusted: !params.flag('disableAdjustments', false),
        nowMs,
      };
    },
    turns: admission,
    value: (plan, { signal }) => readDiff(options, plan, signal),
    reply({ changes, ...caveats }, _, ignored, isScoped) {
      const told = isScoped ? discreet(caveats, ignored) : withNotes(ignored, caveats);
      return json({ code: 200, data: changes, ...caveatFields(told) });
    },
    isTagged: () => false,
  });
}

async function readDiff(
  options: Options,
  { before, after, query, leastRatio, isAdjusted, nowMs }: DiffPlan,
  signal: AbortSignal,
): Promise<Diff> {
  const { compute } = options;
  const find = async (days: readonly Window[]) => {
    const found = findSets(options, { days, unit: 'all', nowMs, isAdjusted });
    const report = new AnswerReport(await options.adjustments.withBilledWarnings(found));
    const sets: AdjustedSet[] = [];
    for (const set of found.groups.flatMap((group) => group.sets)) {
      sets.push(await adjustedSet(options, set, report));
    }
    return { sets, report };
  };
  const [then, now] = [await find(before), await find(after)];
  const { changes, damages } = await withOwner(compute, (owner) =>
    compute.pool.run(
      'assetDiff',
      { before: then.sets, after: now.sets, query, leastRatio, owner },
      signal,
    ),
  );
  await reportDamages(options.sets, damages, now.report);
  const both = [then.report.found, now.report.found];
  return {
    changes,
    warnings: [...new Set(both.flatMap(({ warnings }) => warnings))],
    isPartial: both.some(({ isPartial }) => isPartial),
  };
}

function readRatio(text: string): number {
  const ratio = /^(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : NaN;
  if (Number.isFinite(ratio)) return ratio;
  throw refuse('costChangeRatio', text, 'a part of what it cost before, 0 or more', '0.1');
}
