/** The sentence of controls over cloud costs. */
import type { ApiError } from '../api.ts';
import { CLOUD_COSTS } from '../costs/completion.ts';
import { goOwn } from '../own-state.ts';
import { FilterBox, FilterError, useFilterKey } from '../parts/filter-box.tsx';
import { WindowPicker } from '../parts/picker.tsx';
import { choicesOf, Select, type Choice } from '../parts/select.tsx';
import type { VNode } from '../preact.ts';
import { go, state } from '../state.ts';
import { CLOUD_GROUPS } from './groups.ts';
import { cloudQuestion, FILTER, GROUP, METRIC } from './state.ts';

const METRICS: readonly Choice[] = choicesOf({
  amortizedNetCost: 'with payments in advance spread over their time',
  netCost: 'as they are billed',
  listCost: 'at list price',
});
const PERS: readonly Choice[] = choicesOf({
  day: 'day',
  week: 'week',
  month: 'month',
  quarter: 'quarter',
});

export function CloudControls({ filterError }: { filterError: ApiError | undefined }): VNode {
  const { window, per } = state.value;
  const { group, metric, filter } = cloudQuestion();
  useFilterKey();
  return (
    <div class="controls" role="group" aria-label="What is shown">
      <p class="sentence">
        Show charges of{' '}
        <WindowPicker
          label="Window"
          value={window}
          choose={(value) => go({ window: value, open: '' })}
        />{' '}
        by{' '}
        <Select
          label="Group by"
          value={group}
          choices={CLOUD_GROUPS}
          choose={(value) => goOwn({ [GROUP]: value })}
        />{' '}
        where{' '}
        <FilterBox
          grammar={CLOUD_COSTS}
          value={filter}
          window={window}
          error={filterError}
          apply={(value) => goOwn({ [FILTER]: value })}
        />
      </p>
      {filterError !== undefined && (
        <FilterError text={filter} whole={filter} error={filterError} />
      )}
      <p class="sentence quieter">
        counted{' '}
        <Select
          label="Cost"
          value={metric}
          choices={METRICS}
          choose={(value) => goOwn({ [METRIC]: value })}
        />{' '}
        · a bar is a{' '}
        <Select
          label="Length of a bar"
          value={per === 'hour' ? 'day' : per}
          choices={PERS}
          choose={(value) => go({ per: value })}
        />
      </p>
    </div>
  );
}
