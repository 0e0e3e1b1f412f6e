/** GET /assets/autocomplete: the values of a field. */
import { answeringWhole, caveatFields, json, readRowFilter, type Route } from '../http/index.ts';
import { withOwner } from '../columnar/index.ts';
import {
  daysOf,
  discreet,
  fieldAccepted,
  readField,
  refuse,
  withNotes,
  type Caveats,
} from '../query/index.ts';
import type { Answering } from './answer.ts';
import { ASSET_FIELDS } from './fields.ts';
import type { AssetValues } from './field-values.ts';
import { ASSET_FILTERS, WINDOW_ACCEPTED, type AssetPlan } from './params.ts';
import { findSets, type FindingOptions } from './stored.ts';

interface ValuesPlan {
  readonly found: Pick<AssetPlan, 'days' | 'unit' | 'nowMs' | 'isAdjusted'>;
  readonly request: AssetValues;
  readonly limit: number;
}

interface Values extends Caveats {
  readonly values: readonly string[];
}

const LIMIT = 100;
const LIMIT_MAX = 1000;
const FIELD_ACCEPTED = fieldAccepted(ASSET_FIELDS);

type Options = FindingOptions & Pick<Answering, 'sets' | 'compute' | 'admission'>;

export function autocompleting(options: Options): Route['handle'] {
  const { clock, admission } = options;
  return answeringWhole<ValuesPlan, Values>({
    plan(_, params) {
      const { calendar } = clock;
      const nowMs = clock.nowMs();
      const text = params.required('window', WINDOW_ACCEPTED, '7d');
      const days = daysOf(params.daysWindow(text, { nowMs, calendar }), calendar);
      const field = readField(params.required('field', FIELD_ACCEPTED, 'cluster'), ASSET_FIELDS);
      const search = (params.text('search') ?? '').toLowerCase();
      const limit = params.parsed('limit', readLimit, LIMIT);
      const filter = readRowFilter(params, ASSET_FILTERS);
      return {
        found: { days, unit: 'none', nowMs, isAdjusted: false },
        request: { ...field, search, filter },
        limit,
      };
    },
    turns: admission,
    value: (plan, { signal }) => readValues(options, plan, signal),
    reply({ values, ...caveats }, _, ignored, isScoped) {
      const told = isScoped ? discreet(caveats, ignored) : withNotes(ignored, caveats);
      return json({ code: 200, data: { data: values }, ...caveatFields(told) });
    },
    isTagged: () => false,
  });
}

async function readValues(
  options: Options,
  { found: days, request, limit }: ValuesPlan,
  signal: AbortSignal,
): Promise<Values> {
  const { compute, sets } = options;
  const { groups, warnings, isPartial } = findSets(options, days);
  const stored = groups.flatMap((group) => group.sets.map((each) => each.stored));
  const { values, damages } = await withOwner(compute, (owner) =>
    compute.pool.run('assetValues', { sets: stored, request, owner }, signal),
  );
  for (const damage of damages) await sets.setAside(damage.stored);
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  return {
    values: sorted.slice(0, limit),
    warnings: [...warnings, ...damages.map(({ message }) => message)],
    isPartial: isPartial || damages.length > 0,
  };
}

function readLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text.trim()) ? Number(text) : NaN;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw refuse('limit', text, `a whole number in 1 to ${LIMIT_MAX}`, String(LIMIT));
}
