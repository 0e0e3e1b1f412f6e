/** Stacked bars over time, old to new: idle apart below the axis, what is not over hatched, the time before as outline. */
import { colourOf } from '../colour.ts';
import {
  insidePath,
  labelled,
  rect,
  scaleOf,
  stackPaths,
  type BarScale,
} from '../costs/bar-layout.ts';
import { shownName } from '../costs/fields.ts';
import type { Span } from '../costs/periods.ts';
import { moneyShort } from '../format.ts';
import { useState, type VNode } from '../preact.ts';
import { barWords, runRate, spanLabel, type BarsOf } from './bar-words.ts';
import { AsTable, Legend, Reading } from './bars-told.tsx';
import { useWidth } from './width.ts';

const HEIGHT = 240;
const LABELS = 22;
const TOP = 10;
const LEFT = 52;
const LABEL_WIDTH = 58;

export function Bars(bars: BarsOf): VNode {
  const [box, width] = useWidth();
  const [at, point] = useState<number | undefined>();
  return (
    <figure class="bars" ref={box} onPointerLeave={() => point(undefined)}>
      {width > 0 && <Drawn {...bars} width={width} at={at} point={point} />}
      {at !== undefined && <Reading {...bars} at={at} />}
      <Legend {...bars} />
      <AsTable {...bars} />
    </figure>
  );
}

interface DrawnProps extends BarsOf {
  readonly width: number;
  readonly at: number | undefined;
  readonly point: (at: number | undefined) => void;
}

function Drawn(props: DrawnProps): VNode {
  const { spans, stacks, idle, before, width, at, point, href } = props;
  const rates = spans.map((_, index) => runRate(props, index));
  const most = tallest(props, rates);
  const below = idle === undefined ? 0 : Math.max(...idle, 0);
  const box = { width, height: HEIGHT, left: LEFT };
  const scale = scaleOf(box, spans.length, most * 1.02, below * 1.02);
  const costs = stacks.map((stack) => stack.costs);
  const paths = stackPaths(costs, scale);
  const { x, y, barWidth } = scale;
  const down = idle === undefined ? '' : downPath(idle, scale);
  return (
    <svg width={width} height={HEIGHT + LABELS + TOP} role="group" aria-label="Costs over time">
      <Hatching />
      <g transform={`translate(0 ${TOP})`}>
        <Axis scale={scale} width={width} />
        {stacks.map(({ name }, index) => (
          <path key={name} d={paths[index]} class={`fill ${colourOf(name)}`}>
            <title>{shownName(name)}</title>
          </path>
        ))}
        {props.inside !== undefined && (
          <path fill="url(#inside)" d={insidePath(costs, props.inside.costs, scale)} />
        )}
        {idle !== undefined && <path d={down} class="fill idle below" />}
        <Partial {...props} scale={scale} rates={rates} />
        <path class="before" d={outline(before, scale)} />
        <line class="axis" x1={LEFT} x2={width} y1={y(0)} y2={y(0)} />
        {at !== undefined && (
          <line
            class="cross"
            x1={x(at) + barWidth / 2}
            x2={x(at) + barWidth / 2}
            y1={0}
            y2={HEIGHT}
          />
        )}
        {spans.map((span, index) => (
          <a key={span.startMs} href={href(span)} aria-label={barWords(props, index)}>
            <rect
              class="hit"
              x={x(index) - (room(scale) - barWidth) / 2}
              y={0}
              width={room(scale)}
              height={HEIGHT}
              onPointerEnter={() => point(index)}
              onFocus={() => point(index)}
            />
          </a>
        ))}
      </g>
      <Dates spans={spans} scale={scale} />
    </svg>
  );
}

/** The largest of what is drawn upward. */
function tallest(
  { spans, stacks, totals, before }: BarsOf,
  rates: readonly (number | undefined)[],
): number {
  return spans.reduce((most, _, at) => {
    // While one answer is newer than another, stacks may come to more than the totals.
    const stack = stacks.reduce((sum, { costs }) => sum + (costs[at] ?? 0), 0);
    return Math.max(most, stack, totals[at] ?? 0, rates[at] ?? 0, before[at] ?? 0);
  }, 0);
}

/** Idle hangs from the axis. */
function downPath(idle: Float64Array, { x, y, barWidth }: BarScale): string {
  return [...idle].map((usd, at) => rect(x(at), y(0), barWidth, y(-usd) - y(0))).join('');
}

function room({ x }: BarScale): number {
  return x(1) - x(0);
}

function Hatching(): VNode {
  return (
    <defs>
      <pattern
        id="hatch"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <rect class="hatch-line" width="2.5" height="6" />
      </pattern>
      <pattern
        id="inside"
        width="5"
        height="5"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(-45)"
      >
        <rect class="inside-line" width="1.5" height="5" />
      </pattern>
    </defs>
  );
}

function Axis({ scale: { ticks, y }, width }: { scale: BarScale; width: number }): VNode {
  return (
    <g class="ticks" aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
            {moneyShort(Math.abs(tick))}
          </text>
        </g>
      ))}
    </g>
  );
}

/** Hatches what is not over, and dots what it will come to. */
function Partial({
  totals,
  idle,
  scale: { x, y, barWidth },
  rates,
}: BarsOf & { scale: BarScale; rates: readonly (number | undefined)[] }): VNode {
  return (
    <>
      {rates.map((rate, index) => {
        if (rate === undefined) return null;
        const bottom = y(idle === undefined ? 0 : -(idle[index] ?? 0));
        const top = y(totals[index] ?? 0);
        return (
          <g key={index} aria-hidden="true">
            <rect fill="url(#hatch)" x={x(index)} y={top} width={barWidth} height={bottom - top} />
            <path class="rate" d={rect(x(index), y(rate), barWidth, top - y(rate))} />
          </g>
        );
      })}
    </>
  );
}

/** A step over each bar at what the time before cost. */
function outline(before: readonly (number | undefined)[], { x, y, barWidth }: BarScale): string {
  return before
    .map((usd, index) => {
      if (usd === undefined || usd === 0) return '';
      return `M${x(index) - 2} ${y(usd)}h${barWidth + 4}`;
    })
    .join('');
}

function Dates({ spans, scale }: { spans: readonly Span[]; scale: BarScale }): VNode {
  const shown = labelled(spans.length, room(scale), LABEL_WIDTH);
  return (
    <g class="ticks" aria-hidden="true">
      {shown.map((index) => (
        <text
          key={index}
          x={scale.x(index) + scale.barWidth / 2}
          y={TOP + HEIGHT + 16}
          text-anchor="middle"
        >
          {spanLabel(spans[index])}
        </text>
      ))}
    </g>
  );
}
