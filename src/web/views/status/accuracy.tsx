/** How far answers at coarser resolutions are from the exact one, measured when it is asked for. */
import { useAnswer } from '../../answers.ts';
import { pathOf } from '../../api.ts';
import { moneyOrZero, percentChange } from '../../format.ts';
import { Loaded } from '../../parts/states.tsx';
import { useState, type VNode } from '../../preact.ts';

const RESOLUTIONS: readonly string[] = ['exact', '1m', '5m', '1h'];

interface Row {
  readonly totalCost: number;
  readonly accuracy?: { readonly lower: number; readonly upper: number } | null;
}

export function Accuracy(): VNode {
  const [isAsked, ask] = useState(false);
  const exact = useAnswer<readonly Readonly<Record<string, Row>>[]>(
    isAsked ? totalPath('exact') : undefined,
  );
  const base = exact.answer === undefined ? undefined : totalOf(exact.answer.data);
  return (
    <section aria-labelledby="accuracy">
      <h2 id="accuracy">Accuracy</h2>
      <p class="hint">
        Stored days are exact: each sample counts for as long as it holds. Answers from samples may
        be asked at a coarser resolution, and tell how far they may be off.
      </p>
      {isAsked ? (
        <table class="plain">
          <caption class="unseen">Cost of yesterday by resolution</caption>
          <thead>
            <tr>
              <th scope="col">resolution</th>
              <th scope="col" class="num">
                yesterday
              </th>
              <th scope="col" class="num">
                off by
              </th>
              <th scope="col" class="num">
                may be off by
              </th>
            </tr>
          </thead>
          <tbody>
            {RESOLUTIONS.map((resolution) => (
              <Measured key={resolution} resolution={resolution} base={base} />
            ))}
          </tbody>
        </table>
      ) : (
        <button type="button" onClick={() => ask(true)}>
          Measure it with yesterday
        </button>
      )}
    </section>
  );
}

function totalPath(resolution: string): string {
  const of = { window: 'yesterday', aggregate: 'cluster', accumulate: true };
  return pathOf('model/allocation/compute', { ...of, resolution });
}

function Measured({
  resolution,
  base,
}: {
  resolution: string;
  /** The exact cost, once it is known. */
  base: number | undefined;
}): VNode {
  const shown = useAnswer<readonly Readonly<Record<string, Row>>[]>(totalPath(resolution));
  const rows = shown.answer?.data;
  return (
    <tr aria-busy={shown.isLoading}>
      <th scope="row">{resolution}</th>
      {rows === undefined ? (
        <td colSpan={3}>
          <Loaded shown={shown} lines={1}>
            {() => ''}
          </Loaded>
        </td>
      ) : (
        <>
          <td class="num">{moneyOrZero(totalOf(rows))}</td>
          <td class="num">{base === undefined ? '' : percentChange(totalOf(rows) / base - 1)}</td>
          <td class="num">{resolution === 'exact' ? 'nothing' : boundsOf(rows)}</td>
        </>
      )}
    </tr>
  );
}

function totalOf(sets: readonly Readonly<Record<string, Row>>[]): number {
  return sets.flatMap((set) => Object.values(set)).reduce((sum, { totalCost }) => sum + totalCost, 0);
} // prettier-ignore

/** The widest of what rows tell. */
function boundsOf(sets: readonly Readonly<Record<string, Row>>[]): string {
  const told = sets.flatMap((set) => Object.values(set).flatMap(({ accuracy }) => accuracy ?? []));
  if (told.length === 0) return 'not told';
  const lower = Math.min(...told.map((each) => each.lower));
  const upper = Math.max(...told.map((each) => each.upper));
  return `${percentChange(lower - 1)} to ${percentChange(upper - 1)}`;
}
