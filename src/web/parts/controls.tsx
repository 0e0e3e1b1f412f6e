/** The bar of controls: a sentence of which each word can be changed. */
import type { ApiError } from '../api.ts';
import { AGGREGATES } from '../costs/fields.ts';
import { isStored, wholeFilter } from '../costs/questions.ts';
import { useState, type VNode } from '../preact.ts';
import { go, state } from '../state.ts';
import { ClusterSelect, useValues } from './cluster-select.tsx';
import { FilterBox, FilterError, useFilterKey } from './filter-box.tsx';
import { WindowPicker } from './picker.tsx';
import { Select, type Choice } from './select.tsx';

export function Controls({ filterError }: { filterError: ApiError | undefined }): VNode {
  useFilterKey();
  return (
    <div class="controls" role="group" aria-label="What is shown">
      <What filterError={filterError} />
      {filterError !== undefined && (
        <FilterError
          text={state.value.filter}
          whole={wholeFilter(state.value)}
          error={filterError}
        />
      )}
      <How />
    </div>
  );
}

/** Which rows, grouped by what. */
function What({ filterError }: { filterError: ApiError | undefined }): VNode {
  const { by, window, filter } = state.value;
  const fields = useFields(window);
  return (
    <p class="sentence">
      Show{' '}
      <WindowPicker
        label="Window"
        value={window}
        choose={(value) => go({ window: value, open: '' })}
      />{' '}
      by{' '}
      <Select
        label="Group by"
        value={by[0] ?? 'namespace'}
        choices={fields.all}
        onOpen={fields.load}
        choose={(field) =>
          go({ by: [field, ...by.slice(1).filter((own) => own !== field)], open: '' })
        }
      />{' '}
      then{' '}
      <Select
        label="Then by"
        value={by[1] ?? ''}
        choices={[
          { value: '', says: 'nothing' },
          ...fields.all.filter(({ value }) => value !== by[0]),
        ]}
        onOpen={fields.load}
        choose={(field) =>
          go({ by: [by[0] ?? 'namespace', ...(field === '' ? [] : [field])], open: '' })
        }
      />{' '}
      in <ClusterSelect window={window} /> where{' '}
      <FilterBox
        value={filter}
        window={window}
        error={filterError}
        apply={(value) => go({ filter: value, open: '' })}
      />
    </p>
  );
}

/** How they are counted and drawn. */
function How(): VNode {
  const { against, idle, per, from, chart } = state.value;
  const stored = isStored(state.value);
  return (
    <p class="sentence quieter">
      against{' '}
      <Select
        label="Compare with"
        value={against}
        choices={AGAINST}
        choose={(value) => go({ against: value })}
      />{' '}
      · idle{' '}
      <Select label="Idle" value={idle} choices={IDLE} choose={(value) => go({ idle: value })} /> ·
      shared <SharedWords /> · drawn as{' '}
      <Select
        label="Chart"
        value={chart}
        choices={CHARTS}
        choose={(value) => go({ chart: value })}
      />{' '}
      {chart === 'bars' && (
        <>
          of a{' '}
          <Select
            label="Length of a bar"
            value={per}
            choices={(stored ? STORED_PERS : READ_PERS).map((own) => ({ value: own, says: own }))}
            choose={(value) => go({ per: value })}
          />{' '}
        </>
      )}
      · from{' '}
      <Select
        label="Source"
        value={from}
        choices={FROM}
        title="Stored days answer at once; samples tell of the last minutes and of windows within a day"
        choose={(value) => go({ from: value, per: value === 'stored' ? 'day' : per })}
      />{' '}
      · <Switches />
    </p>
  );
}

const AGAINST: readonly Choice[] = [
  { value: 'before', says: 'as long before' },
  { value: 'none', says: 'nothing' },
  { value: 'lastweek', says: 'last week' },
  { value: 'lastmonth', says: 'last month' },
];
const CHARTS: readonly Choice[] = [
  { value: 'bars', says: 'bars' },
  { value: 'tiles', says: 'tiles' },
];
const IDLE: readonly Choice[] = [
  { value: 'apart', says: 'apart' },
  { value: 'stacked', says: 'in the bars' },
  { value: 'shared', says: 'borne by workloads' },
  { value: 'hidden', says: 'left out' },
];
const FROM: readonly Choice[] = [
  { value: 'stored', says: 'stored days' },
  { value: '1m', says: 'samples, each minute' },
  { value: '5m', says: 'samples, each 5 minutes' },
  { value: 'exact', says: 'samples, exact' },
];
const STORED_PERS = ['day', 'week', 'month', 'quarter'] as const;
const READ_PERS = ['hour', 'day', 'week'] as const;

/** Each says what it does. */
function Switches(): VNode {
  const { tenancy, external, bill } = state.value;
  const known = [
    ['bill', bill, 'adjusted to the bill', 'at list price'],
    [
      'tenancy',
      tenancy,
      'with management and disks of nodes',
      'without management and disks of nodes',
    ],
    ['external', external, 'with external costs', 'without external costs'],
  ] as const;
  // Computed answers know no bill, and charge nobody for management.
  const all = isStored(state.value) ? known : known.filter(([name]) => name === 'external');
  return (
    <>
      {all.map(([name, isOn, yes, no], index) => (
        <span key={name}>
          {index > 0 && ', '}
          <button
            type="button"
            class="word"
            title={`Change to: ${isOn ? no : yes}`}
            onClick={() => go({ [name]: !isOn })}
          >
            {isOn ? yes : no}
          </button>
        </span>
      ))}
    </>
  );
}

function SharedWords(): VNode {
  const { share, split } = state.value;
  const [isWriting, write] = useState(false);
  const words = share.length === 0 ? 'nothing' : share.join(', ');
  if (isWriting) {
    return (
      <input
        class="short"
        aria-label="Namespaces whose costs the others bear"
        value={share.join(',')}
        placeholder="kube-system"
        ref={(box) => box?.focus()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') event.currentTarget.blur();
        }}
        onBlur={(event) => {
          const names = event.currentTarget.value.split(',').map((name) => name.trim());
          write(false);
          go({ share: names.filter(Boolean) });
        }}
      />
    );
  }
  return (
    <>
      <button
        type="button"
        class="word"
        onClick={() => write(true)}
        aria-label={`Shared namespaces: ${words}`}
      >
        {words}
      </button>
      {share.length > 0 && (
        <>
          {' '}
          <Select
            label="How costs are shared"
            value={split}
            choices={[
              { value: 'weighted', says: 'by cost' },
              { value: 'even', says: 'evenly' },
            ]}
            choose={(value) => go({ split: value })}
          />
        </>
      )}
    </>
  );
}

/** Fields, with the labels that there are once somebody looks. */
function useFields(window: string): { readonly all: readonly Choice[]; readonly load: () => void } {
  const [labels, load] = useValues('label', window);
  const own = AGGREGATES.map(({ field, says }) => ({ value: field, says }));
  const more = labels.map((label) => ({ value: `label:${label}`, says: `label ${label}` }));
  return { all: [...own, ...more], load };
}
