/** What there was to pay for: nodes and what they are for, disks, load balancers, network, management. */
import type { Answer } from '../api.ts';
import { useAnswer, usePulse } from '../answers.ts';
import { assetSums } from '../assets/sums.ts';
import { typeHeading, type AssetSet } from '../assets/asset.ts';
import { AssetControls, ownFilter } from '../assets/controls.tsx';
import { Disks } from '../assets/disks.tsx';
import { Nodes } from '../assets/nodes.tsx';
import { Balancers, NetworkAndManagement } from '../assets/others.tsx';
import { overTime, type GraphSets } from '../assets/over-time.ts';
import { AssetPanel } from '../assets/panel.tsx';
import { graphPath, listPath, sumsPath } from '../assets/questions.ts';
import { barHref } from '../parts/bar-href.ts';
import { money, moneyChange, moneyOrZero } from '../format.ts';
import { Bars } from '../parts/bars.tsx';
import { Figure } from '../parts/figure.tsx';
import { Request } from '../parts/panel.tsx';
import { Empty, Failure, Loaded, Notes } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { href, state } from '../state.ts';

export function Assets(): VNode {
  const now = state.value;
  const where = ownFilter();
  const path = sumsPath(now, where);
  usePulse(path);
  const shown = useAnswer<readonly AssetSet[]>(path);
  const filterError = shown.error?.parameter === 'filter' ? shown.error : undefined;
  const types = Object.keys(shown.answer?.data[0] ?? {});
  return (
    <>
      <h1 class="hidden">Assets</h1>
      <AssetControls filterError={filterError} />
      {filterError === undefined && (
        <>
          <Loaded shown={shown} lines={3}>
            {(answer) => <Head answer={answer} />}
          </Loaded>
          {types.length > 0 && (
            <>
              <Chart path={graphPath(now, where)} />
              <Nodes where={where} />
              <Disks where={where} />
              <Balancers where={where} />
              <NetworkAndManagement where={where} />
              <Request path={listPath(now, where, '')} />
            </>
          )}
        </>
      )}
      {now.open !== '' && <AssetPanel filter={now.open} />}
    </>
  );
}

/** What all of it comes to, and each type. */
function Head({ answer }: { answer: Answer<readonly AssetSet[]> }): VNode {
  const { total, adjustment, byType } = assetSums(answer.data[0] ?? {});
  if (byType.length === 0) return <Nothing notes={answer.warnings} />;
  return (
    <>
      <div class="figures">
        <Figure says="all assets">{moneyOrZero(total)}</Figure>
        {byType.map(({ type, usd }) => (
          <Figure key={type} says={typeHeading(type).toLowerCase()}>
            {moneyOrZero(usd)}
          </Figure>
        ))}
        {adjustment !== 0 && (
          <Figure says="changed by the bill" title="What the bill charged, less what list prices come to">
            {moneyChange(adjustment) || money(adjustment)}
          </Figure>
        )}
      </div>
      <Notes
        warnings={[...answer.warnings, ...(answer.message === '' ? [] : [answer.message])]}
        isPartial={answer.isPartial}
      />
    </>
  );
} // prettier-ignore

function Nothing({ notes }: { notes: readonly string[] }): VNode {
  const { path } = state.value;
  return (
    <Empty>
      <p>
        <strong>There was nothing to pay for here.</strong>
      </p>
      {ownFilter() !== '' || path.length > 0 ? (
        <p>
          No asset of this window meets the filter.{' '}
          <a href={href({ more: '', path: [], open: '' })}>Show all assets</a>
        </p>
      ) : (
        <p>
          No day of this window is stored: days may still be built, or the store keeps fewer. The{' '}
          <a href={href({ window: '7d' })}>last 7 days</a> may have some;{' '}
          <a href={href({ view: 'status', open: '' })}>Status</a> tells which days are stored.
        </p>
      )}
      {notes.slice(0, 3).map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
    </Empty>
  );
}

function Chart({ path }: { path: string }): VNode {
  const shown = useAnswer<GraphSets>(path);
  const { answer } = shown;
  const drawn = useMemo(
    () => (answer === undefined ? undefined : overTime(answer.data, typeHeading)),
    [answer],
  );
  if (drawn === undefined || answer === undefined) {
    return shown.error === undefined ? <div class="bone chart" /> : <Failure error={shown.error} />;
  }
  return (
    <div class={shown.isLoading ? 'dimmed' : ''} aria-busy={shown.isLoading}>
      <Bars {...drawn} idle={undefined} before={[]} nowMs={answer.atMs} href={barHref} />
    </div>
  );
}
