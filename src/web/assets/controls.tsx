/** The sentence of controls over assets: window, cluster, filter, and whether the bill counts. */
import type { ApiError } from '../api.ts';
import { ASSETS } from '../costs/completion.ts';
import { goOwn, own } from '../own-state.ts';
import { ClusterSelect } from '../parts/cluster-select.tsx';
import { FilterBox, FilterError, useFilterKey } from '../parts/filter-box.tsx';
import { WindowPicker } from '../parts/picker.tsx';
import type { VNode } from '../preact.ts';
import { go, state } from '../state.ts';
import { assetFilter } from './questions.ts';

/** Filters of allocations have other fields: the view keeps one of its own. */
export function ownFilter(): string {
  return own('where');
}

export function AssetControls({ filterError }: { filterError: ApiError | undefined }): VNode {
  const { window, bill } = state.value;
  const where = ownFilter();
  useFilterKey();
  const [says, other] = bill
    ? ['adjusted to the bill', 'at list price']
    : ['at list price', 'adjusted to the bill'];
  return (
    <div class="controls" role="group" aria-label="What is shown">
      <p class="sentence">
        Show assets of{' '}
        <WindowPicker
          label="Window"
          value={window}
          choose={(value) => go({ window: value, open: '' })}
        />{' '}
        in <ClusterSelect window={window} />,{' '}
        <button
          type="button"
          class="word"
          title={`Change to: ${other}`}
          onClick={() => go({ bill: !bill })}
        >
          {says}
        </button>
        , where{' '}
        <FilterBox
          grammar={ASSETS}
          value={where}
          window={window}
          error={filterError}
          apply={(value) => goOwn({ where: value })}
        />
      </p>
      {filterError !== undefined && (
        <FilterError text={where} whole={assetFilter(state.value, where)} error={filterError} />
      )}
    </div>
  );
}
