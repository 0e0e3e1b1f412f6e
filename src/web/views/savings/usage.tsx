/** What one container used, as a distribution beside its request before and after. */
import { useAnswer, type Shown } from '../../answers.ts';
import type { Answer } from '../../api.ts';
import { percent } from '../../format.ts';
import { ownHref } from '../../own-state.ts';
import { Failure } from '../../parts/states.tsx';
import { useEffect, useRef, type VNode } from '../../preact.ts';
import { amount } from './amount.ts';
import { bandsOf, levelsOf, QUANTILES, quantileIn, quantilePath } from './distribution.ts';
import type { Change, Sizing, SizingAnswer } from './sizing.ts';

type Asked = Shown<Answer<SizingAnswer>>;

export function Usage({ sizing, window }: { sizing: Sizing; window: string }): VNode {
  const { recommendation: of, changes } = sizing;
  const asked: readonly Asked[] = [
    useAnswer<SizingAnswer>(quantilePath(of, window, QUANTILES[0])),
    useAnswer<SizingAnswer>(quantilePath(of, window, QUANTILES[1])),
    useAnswer<SizingAnswer>(quantilePath(of, window, QUANTILES[2])),
  ];
  const box = useRef<HTMLElement>(null);
  // It is opened from a list below it.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  const error = asked.find((each) => each.error !== undefined)?.error;
  return (
    <section class="plan usage" aria-labelledby="usage" ref={box}>
      <header>
        <h2 id="usage">
          What {of.controllerName}/{of.containerName} used
        </h2>
        <a class="button quiet" href={ownHref({ usage: undefined })}>
          Close
        </a>
      </header>
      {error !== undefined && <Failure error={error} />}
      <div class="beside" aria-busy={asked.some(({ isLoading }) => isLoading)}>
        {changes.map((change) => (
          <Distribution
            key={change.resource}
            change={change}
            quantiles={asked.map(({ answer }) => quantileIn(answer?.data, of, change.resource))}
          />
        ))}
      </div>
    </section>
  );
}

const HEIGHT = 24;

function Distribution({
  change,
  quantiles,
}: {
  change: Change;
  quantiles: readonly (number | undefined)[];
}): VNode {
  const { resource, from, to, most } = change;
  const [p50, p95] = quantiles;
  const end = Math.max(from, to, most, 1) * 1.02;
  const at = (value: number): string => `${(100 * value) / end}%`;
  const levels = levelsOf(change, quantiles);
  const name = resource === 'cpu' ? 'CPU' : 'memory';
  return (
    <div>
      <h3>{name}</h3>
      <svg
        class="levels"
        width="100%"
        height={HEIGHT}
        role="img"
        aria-label={`${name} used, told below`}
      >
        <rect class="room" width={at(from)} height={HEIGHT} rx={2} />
        {bandsOf(most, p50, p95).map((band) => (
          <rect
            key={band.rarity}
            class={`band-${band.rarity}`}
            x={at(band.from)}
            width={at(band.to - band.from)}
            y={6}
            height={HEIGHT - 12}
          />
        ))}
        <line class="mark" x1={at(to)} x2={at(to)} y1={0} y2={HEIGHT} />
      </svg>
      <table class="plain">
        <tbody>
          {levels.map(({ says, kind, value }) => (
            <tr key={says}>
              <th scope="row">{kind === 'recommended' ? <strong>{says}</strong> : says}</th>
              <td class="num">{value === undefined ? '…' : amount(resource, value)}</td>
              <td class="num dim">
                {value === undefined || from === 0 ? '' : percent(value / from)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
