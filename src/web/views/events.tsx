/** Cost events: workloads that came and went, when, and what that is a month. */
import { useAnswer, usePulse } from '../answers.ts';
import type { ApiError } from '../api.ts';
import { changesOf, durationWords, namesIn, pathTo, selected, stoodMs, tallyOf, windowOf, type Change, type CostEvent } from '../events/events.ts'; // prettier-ignore
import { TimelineFigure } from '../events/timeline-figure.tsx';
import { momentExact, moneyChange } from '../format.ts';
import { goOwn, own, ownHref } from '../own-state.ts';
import { List, type Column } from '../parts/list.tsx';
import { choicesOf, Select, type Choice } from '../parts/select.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { href } from '../state.ts';

const PATH = 'model/audit/events';
/** So many are there; older ones are forgotten. */
const EVENTS_MAX = 1000;

const SPANS = choicesOf({
  '': 'all that is kept',
  '1h': 'the last hour',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
});
const HOUR_MS = 3_600_000;
const SPAN_MS: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '24h': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
};
const WHAT = choicesOf({ '': 'came or went', came: 'came', went: 'went' });

export function Events(): VNode {
  const shown = useAnswer<readonly CostEvent[]>(PATH);
  const isOff = shown.answer === undefined && isSwitchedOff(shown.error);
  // The newest tells whether there are others.
  usePulse(isOff ? undefined : `${PATH}?count=1`);
  if (isOff) return <SwitchedOff />;
  return (
    <Loaded shown={shown} lines={8}>
      {({ data, atMs }) => <Changes all={changesOf(data)} nowMs={atMs} />}
    </Loaded>
  );
}

/** The refusals of roles and of filters name what they refuse. */
function isSwitchedOff(error: ApiError | undefined): boolean {
  return error?.status === 403 && error.parameter === '';
}

function SwitchedOff(): VNode {
  return (
    <>
      <h1>Events</h1>
      <Empty>
        <p>
          This server does not watch what comes and goes. Start it with{' '}
          <code>--cost-events-audit true</code>, or with <code>COST_EVENTS_AUDIT_ENABLED=true</code>
          , and each deployment and stateful set that comes or goes in its cluster is listed here
          with its cost a month.
        </p>
        <p class="hint">
          In a cluster that takes the right to list and watch them in all namespaces, which the
          manifests of the tier <code>read</code> give. The demo needs none:{' '}
          <code>npm start -- --cost-events-audit true</code> shows previews that come and go. To
          keep events across restarts, add <code>--cost-events-persist true</code>.
        </p>
      </Empty>
    </>
  );
}

function Changes({ all, nowMs }: { all: readonly Change[]; nowMs: number }): VNode {
  const [namespace, kind, what, at] = [own('ns'), own('kind'), own('what'), own('at')];
  const endMs = nowMs + 1;
  const startMs = startOf(all, nowMs);
  const within = selected(all, { namespace, kind, what, startMs, endMs });
  const span = /^(\d+)-(\d+)$/.exec(at);
  const listed =
    span === null
      ? within
      : selected(within, {
          namespace,
          kind,
          what,
          startMs: Number(span[1]),
          endMs: Number(span[2]),
        });
  if (all.length === 0) return <Nothing />;
  return (
    <>
      <p class="asked events-asked">
        <span>
          What <Choose label="Came or went" name="what" choices={WHAT} /> in{' '}
          <Choose label="Time" name="span" choices={SPANS} /> · namespace{' '}
          <Choose label="Namespace" name="ns" choices={allAnd(namesIn(all, 'namespace'))} /> · kind{' '}
          <Choose label="Kind" name="kind" choices={allAnd(namesIn(all, 'kind'))} />
        </span>
      </p>
      <Tallies changes={within} />
      {within.length === 0 ? (
        <Empty>
          <p>Nothing came or went that is so chosen.</p>
          <a
            class="button"
            href={ownHref({
              ns: undefined,
              kind: undefined,
              what: undefined,
              span: undefined,
              at: undefined,
            })}
          >
            Show all {all.length}
          </a>
        </Empty>
      ) : (
        <>
          <TimelineFigure changes={within} startMs={startMs} endMs={endMs} chosen={at} />
          {span !== null && (
            <p class="hint">
              From {momentExact(Number(span[1]), zone())} to {momentExact(Number(span[2]), zone())}{' '}
              · <a href={ownHref({ at: undefined })}>show all times</a>
            </p>
          )}
          <List
            label="Cost events"
            columns={columnsAt(nowMs)}
            rows={listed}
            keyOf={({ key }) => key}
          />
        </>
      )}
      {all.length >= EVENTS_MAX && (
        <p class="hint">The {EVENTS_MAX} latest are kept: what is older is not here.</p>
      )}
    </>
  );
}

/** Where the time line begins. */
function startOf(all: readonly Change[], nowMs: number): number {
  const lengthMs = SPAN_MS[own('span')];
  if (lengthMs !== undefined) return nowMs - lengthMs;
  return Math.min(nowMs, ...all.map(({ atMs }) => atMs));
}

function Nothing(): VNode {
  return (
    <>
      <h1>Events</h1>
      <Empty>
        Nothing has come or gone since the server began to watch. What was there already makes no
        event; the list is asked for again each minute.
      </Empty>
    </>
  );
}

function Choose({
  label,
  name,
  choices,
}: {
  label: string;
  name: string;
  choices: readonly Choice[];
}): VNode {
  return (
    <Select
      label={label}
      value={own(name)}
      choices={choices}
      choose={(value) => goOwn({ [name]: value, at: undefined })}
    />
  );
}

function allAnd(names: readonly string[]): readonly Choice[] {
  return [{ value: '', says: 'any' }, ...names.map((name) => ({ value: name, says: name }))];
}

function Tallies({ changes }: { changes: readonly Change[] }): VNode {
  const [came, went] = [tallyOf(changes, true), tallyOf(changes, false)];
  const net = came.usdPerMonth + went.usdPerMonth;
  return (
    <div class="tally">
      <h1>{moneyChange(net) === '' ? 'As much came as went' : `${moneyChange(net)} a month`}</h1>
      <span>
        {came.count} came ({moneyChange(came.usdPerMonth) || '±0'}), {went.count} went (
        {moneyChange(went.usdPerMonth) || '±0'}), at the prices of their time
      </span>
    </div>
  );
}

function columnsAt(nowMs: number): readonly Column<Change>[] {
  return [
    { title: 'workload', value: ({ namespace, name }) => `${namespace}/${name}`, cell: (change) => <Workload change={change} nowMs={nowMs} /> },
    { title: 'what', value: ({ isComing }) => (isComing ? 'came' : 'went') },
    { title: 'a month', value: ({ usdPerMonth }) => usdPerMonth, cell: ({ usdPerMonth }) => moneyChange(usdPerMonth) || '±0' },
    { title: 'when', value: ({ atMs }) => new Date(atMs).toISOString(), cell: ({ atMs }) => momentExact(atMs, zone()), isMinor: true },
    { title: 'stood', value: (change) => stoodMs(change) ?? NaN, cell: (change) => <Stood change={change} nowMs={nowMs} />, isMinor: true },
    { title: 'kind', value: ({ kind }) => kind, isMinor: true },
    { title: 'requests', value: ({ requests }) => requests, isMinor: true },
    { title: 'cluster', value: ({ cluster }) => cluster, isMinor: true },
  ]; // prettier-ignore
}

/** Leads to what its pods cost while it stood. */
function Workload({ change, nowMs }: { change: Change; nowMs: number }): VNode {
  const to = href({
    view: 'allocations',
    window: windowOf(change, nowMs, zone()),
    path: pathTo(change),
    by: ['pod'],
    filter: '',
    open: '',
    find: '',
    more: '',
  });
  return (
    <a class="cut" href={to} title="what its pods cost in these days">
      {change.namespace}/{change.name}
    </a>
  );
}

function Stood({ change, nowMs }: { change: Change; nowMs: number }): VNode {
  const ms = stoodMs(change);
  if (ms !== undefined) return <>{durationWords(ms)}</>;
  if (change.cameMs !== undefined) return <>{durationWords(nowMs - change.cameMs)} so far</>;
  return <span class="dim">came before</span>;
}
