/** The filters of a collection: each says what it selects from, is completed while it is written, and has its cost. */
import { ApiError } from '../api.ts';
import { ALLOCATIONS, CLOUD_COSTS } from '../costs/completion.ts';
import { moneyOrZero } from '../format.ts';
import { FilterBox, FilterError } from '../parts/filter-box.tsx';
import { choicesOf, Select } from '../parts/select.tsx';
import { useState, type VNode } from '../preact.ts';
import type { DraftShown } from './asked.ts';
import { bodyOf, lineOf, saidOfLine, withDomain, withFilter, withLine, withoutLine, type Domain, type Draft, type Line } from './draft.ts'; // prettier-ignore

const WHAT = choicesOf({ kubernetes: 'workloads', cloud: 'charges of the bill' });

export function Lines({
  draft,
  write,
  cost,
  window,
}: {
  draft: Draft;
  write: (draft: Draft) => void;
  cost: DraftShown;
  window: string;
}): VNode {
  const [writing, setWriting] = useState(-1);
  const { error } = cost;
  const wrong = error === undefined ? undefined : lineOf(draft, error.parameter);
  const costs = costsOf(draft, cost);
  return (
    <fieldset class="lines">
      <legend>It has</legend>
      {draft.lines.map((line, at) => (
        <div
          class="line"
          key={at}
          onFocusIn={() => setWriting(at)}
          onFocusOut={() => setWriting(-1)}
        >
          <LineParts
            {...{ line, at, draft, write, window }}
            usd={wrong === at ? undefined : costs[at]}
            error={wrong === at && writing !== at ? error : undefined}
          />
        </div>
      ))}
      <button type="button" onClick={() => write(withLine(draft))}>
        {draft.lines.length === 0 ? 'Add a filter' : 'Or …'}
      </button>
    </fieldset>
  );
}

function LineParts({
  line,
  at,
  draft,
  write,
  window,
  usd,
  error,
}: {
  line: Line;
  at: number;
  draft: Draft;
  write: (draft: Draft) => void;
  window: string;
  /** What this filter selects by itself costs. */
  usd: number | undefined;
  /** What is wrong with this filter, once it is no longer being written. */
  error: ApiError | undefined;
}): VNode {
  const said =
    error === undefined
      ? undefined
      : new ApiError(error.status, saidOfLine(error.message), saidOfLine(error.hint));
  const change = (filter: string): void => write(withFilter(draft, at, filter));
  return (
    <>
      <Select
        label={`What filter ${at + 1} selects from`}
        value={line.domain}
        choices={WHAT}
        choose={(domain) => write(withDomain(draft, at, domainOf(domain)))}
      />{' '}
      where{' '}
      <FilterBox
        id={`line-${at}`}
        label={`Filter ${at + 1}`}
        value={line.filter}
        window={window}
        error={said}
        grammar={line.domain === 'cloud' ? CLOUD_COSTS : ALLOCATIONS}
        onText={change}
        apply={change}
      />{' '}
      <span class="dim" title="what this filter selects, without the others">
        {usd === undefined ? '' : moneyOrZero(usd)}
        {line.filter.trim() === '' && ` all ${saysOf(line)}`}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label={`Remove filter ${at + 1}`}
        onClick={() => write(withoutLine(draft, at))}
      >
        ✕
      </button>
      {said !== undefined && (
        <FilterError id={`line-${at}`} text={line.filter} whole={line.filter} error={said} />
      )}
    </>
  );
}

function domainOf(text: string): Domain {
  return text === 'cloud' ? 'cloud' : 'kubernetes';
}

function saysOf({ domain }: Line): string {
  return WHAT.find(({ value }) => value === domain)?.says ?? '';
}

/** Costs by line; of lines that share a group none is known by itself. */
function costsOf(draft: Draft, { answer }: DraftShown): (number | undefined)[] {
  const { lines } = draft;
  const order = [...new Set(lines.map(({ group }) => group))];
  if (answer === undefined || answer.groups.length !== bodyOf(draft).groups.length) return [];
  return lines.map((line) => {
    const isAlone = lines.filter(({ group }) => group === line.group).length === 1;
    return isAlone ? answer.groups[order.indexOf(line.group)]?.cost.totalCost : undefined;
  });
}
