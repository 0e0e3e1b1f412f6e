/** How sure the numbers are: days that are stored, who builds them, what warns, where prices come from. */
import { useAnswer } from '../answers.ts';
import { pathOf } from '../api.ts';
import { isoDate, moneyOrZero, number } from '../format.ts';
import { goOwn, own } from '../own-state.ts';
import { choicesOf, Select, type Choice } from '../parts/select.tsx';
import { List, type Column } from '../parts/list.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { session, zone } from '../session.ts';
import { Accuracy } from './status/accuracy.tsx';
import { adviceOn } from './status/advice.ts';
import { CalendarMap } from './status/calendar-map.tsx';
import { storedDays, type DaysAnswer, type DayState, type StoredDay } from './status/calendar.ts';
import { Findings } from './status/findings.tsx';

const SPANS: readonly Choice[] = choicesOf({
  '30d': '30 days',
  '90d': '90 days',
  '180d': '180 days',
  '365d': '365 days',
});

const WORDS: Readonly<Record<DayState, string>> = {
  whole: 'whole',
  partial: 'not over yet',
  damaged: 'damaged',
  missing: 'missing',
  before: 'before the first',
};

export function Status(): VNode {
  const span = own('span', '90d');
  const path = pathOf('model/allocation/summary', {
    window: span,
    aggregate: 'cluster',
    includeIdle: true,
  });
  const shown = useAnswer<DaysAnswer>(path);
  return (
    <>
      <Loaded shown={shown} lines={10}>
        {({ data, warnings }) => {
          const days = storedDays(data, warnings);
          return (
            <>
              <div class="tally">
                <h1>{headline(days)}</h1>
                <Builder />
              </div>
              <p class="asked">
                Days of the last
                <Select
                  label="Days shown"
                  value={span}
                  choices={SPANS}
                  choose={(next) => goOwn({ span: next })}
                />
                <Legend days={days} />
              </p>
              <CalendarMap key={span} days={days} />
              <details class="notes">
                <summary>The same as a table</summary>
                <List
                  label="Stored days"
                  columns={DAYS}
                  rows={days.toReversed()}
                  keyOf={({ startMs }) => String(startMs)}
                />
              </details>
              <Warnings warnings={warnings} />
            </>
          );
        }}
      </Loaded>
      <Prices />
      <Accuracy />
      <Findings />
    </>
  );
}

function headline(days: readonly StoredDay[]): string {
  const bad = days.filter(({ state }) => state === 'damaged').length;
  const holes = days.filter(({ state }) => state === 'missing').length;
  if (holes === days.length) return 'Nothing is stored yet';
  const faults = [
    ...(bad > 0 ? [`${bad} damaged`] : []),
    ...(holes > 0 ? [`${holes} missing`] : []),
  ];
  return faults.length === 0 ? 'Data complete' : `${faults.join(' and ')} among the days`;
}

function Legend({ days }: { days: readonly StoredDay[] }): VNode {
  const states = Object.keys(WORDS) as DayState[];
  return (
    <span class="map-legend">
      {states.map((state) => {
        const count = days.filter((each) => each.state === state).length;
        return count === 0 ? null : (
          <span key={state}>
            <span class={`cell ${state} tint-3`} aria-hidden="true" /> {count} {WORDS[state]}
          </span>
        );
      })}
    </span>
  );
}

const DAYS: readonly Column<StoredDay>[] = [
  { title: 'day', value: ({ startMs }) => isoDate(startMs, zone()) },
  { title: 'state', value: ({ state }) => state, cell: ({ why }) => why },
  { title: 'cost', value: ({ cost }) => cost, cell: ({ cost }) => moneyOrZero(cost) },
];

interface Readiness {
  readonly source: string;
  readonly backfill?: {
    readonly done: number;
    readonly total: number;
    readonly failing: readonly unknown[];
  };
}

/** One line: what is read, and how far the builder is. */
function Builder(): VNode {
  const shown = useAnswer<Readiness>('readyz?verbose');
  const { value } = session;
  const ready = shown.answer?.data;
  const backfill = ready?.backfill;
  // All at once: what came later would move the rest.
  if ((shown.answer ?? shown.error) === undefined) return <span class="late" role="status" />;
  return (
    <span class="late" role="status">
      {ready !== undefined && `${ready.source} · `}
      {backfill !== undefined &&
        (backfill.done < backfill.total
          ? `the builder has ${backfill.done} of ${backfill.total} days · `
          : 'the builder is up to date · ')}
      {backfill !== undefined && backfill.failing.length > 0 && (
        <strong class="more">{backfill.failing.length} days fail · </strong>
      )}
      {value.is === 'open' && `prorata ${value.server.version}, days of ${value.server.timezone}`}
    </span>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }): VNode {
  return (
    <section aria-labelledby="warnings">
      <h2 id="warnings">Warnings</h2>
      {warnings.length === 0 ? (
        <Empty>Nothing in these days is odd.</Empty>
      ) : (
        <ul class="warnings">
          {warnings.map((warning) => (
            <li key={warning}>
              <bdi>{warning}</bdi>
              <p class="hint">{adviceOn(warning)}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface PriceSource {
  readonly region: string;
  readonly instanceType: string;
  readonly usageType: string;
  readonly pricingType: string;
  readonly nodes: number;
  readonly hourlyCost: number;
}

const PRICES: readonly Column<PriceSource>[] = [
  { title: 'type', value: ({ instanceType }) => instanceType },
  { title: 'nodes', value: ({ nodes }) => nodes },
  { title: 'an hour', value: ({ hourlyCost }) => hourlyCost, cell: ({ hourlyCost }) => `$${number(hourlyCost, 4)}` },
  { title: 'price from', value: ({ pricingType }) => pricingType },
  { title: 'use', value: ({ usageType }) => usageType, isMinor: true },
  { title: 'region', value: ({ region }) => region, isMinor: true },
]; // prettier-ignore

function Prices(): VNode {
  const shown = useAnswer<Readonly<Record<string, PriceSource>>>('model/pricingSourceSummary');
  return (
    <section aria-labelledby="prices">
      <h2 id="prices">Where prices come from</h2>
      <Loaded shown={shown} lines={5}>
        {({ data }) => {
          const rows = Object.values(data).toSorted((a, b) => b.nodes - a.nodes);
          if (rows.length === 0) return <Empty>No node is stored yet.</Empty>;
          return (
            <List
              label="Prices of node types"
              columns={PRICES}
              rows={rows}
              keyOf={({ region, instanceType, usageType, pricingType }) =>
                `${region} ${instanceType} ${usageType} ${pricingType}`
              }
            />
          );
        }}
      </Loaded>
    </section>
  );
}
