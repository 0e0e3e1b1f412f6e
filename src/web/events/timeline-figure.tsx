/** The time line as drawn: marks that are focused and chosen, and the same as a table. */
import { moment, momentExact, moneyChange, moneyShort } from '../format.ts';
import { ownHref } from '../own-state.ts';
import { List, type Column } from '../parts/list.tsx';
import { useWidth } from '../parts/width.ts';
import type { VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { binsOf, labelled, timelineOf, type Bin, type Placed } from './timeline.ts';
import type { Change, Tally } from './events.ts';

const HEIGHT = 144;
const LABELS = 24;
const LABEL_WIDTH = 144;
/** Narrower marks are hard to hit. */
const BIN_WIDTH = 14;
const BINS_MAX = 60;

interface TimelineProps {
  readonly changes: readonly Change[];
  readonly startMs: number;
  readonly endMs: number;
  /** The span that is chosen, as in the address. */
  readonly chosen: string;
}

export function TimelineFigure({ changes, startMs, endMs, chosen }: TimelineProps): VNode {
  const [box, width] = useWidth();
  const most = Math.min(BINS_MAX, Math.max(8, Math.floor(width / BIN_WIDTH)));
  const bins = binsOf(changes, startMs, endMs, most);
  return (
    <figure class="timeline">
      <div ref={box as { current: HTMLDivElement | null }}>
        {width > 0 && <Drawn bins={bins} width={width} chosen={chosen} />}
      </div>
      <figcaption>
        <i class="dot came" /> came, above the line · <i class="dot went" /> went, below it: a month
        each
      </figcaption>
      <details class="notes">
        <summary>The same as a table</summary>
        <List
          label="Changes over time"
          columns={COLUMNS}
          rows={bins.filter(({ came, went }) => came.count + went.count > 0)}
          keyOf={keyOf}
        />
      </details>
    </figure>
  );
}

/** A span in the address. */
function keyOf({ startMs, endMs }: Bin): string {
  return `${startMs}-${endMs}`;
}

function Drawn({
  bins,
  width,
  chosen,
}: {
  bins: readonly Bin[];
  width: number;
  chosen: string;
}): VNode {
  const { placed, zeroY, height } = timelineOf(bins, width, HEIGHT);
  const tops = [most(bins, 'came'), most(bins, 'went')] as const;
  const step = width / bins.length;
  return (
    <svg
      width={width}
      height={height + LABELS}
      role="group"
      aria-label="What came and went over time"
    >
      <line class="axis" x1={0} x2={width} y1={zeroY} y2={zeroY} />
      {placed.map((each) => (
        <Marks key={keyOf(each.bin)} placed={each} isChosen={keyOf(each.bin) === chosen} />
      ))}
      {tops[0] > 0 && (
        <text class="most" x={width} y={12} text-anchor="end">
          +{moneyShort(tops[0])}
        </text>
      )}
      {tops[1] > 0 && (
        <text class="most" x={width} y={height - 4} text-anchor="end">
          −{moneyShort(tops[1])}
        </text>
      )}
      {labelled(bins.length, width, LABEL_WIDTH).map((at) => {
        const bin = bins[at];
        return (
          bin !== undefined && (
            <text key={at} x={at * step} y={height + 18}>
              {momentOf(bin.startMs, bin)}
            </text>
          )
        );
      })}
    </svg>
  );
}

function most(bins: readonly Bin[], side: 'came' | 'went'): number {
  return Math.max(0, ...bins.map((bin) => Math.abs(bin[side].usdPerMonth)));
}

function Marks({ placed, isChosen }: { placed: Placed; isChosen: boolean }): VNode {
  const { bin, x, width, came, went } = placed;
  const says = `${momentOf(bin.startMs, bin)}: ${saysOf(bin)}`;
  return (
    <a
      class={isChosen ? 'chosen' : undefined}
      href={ownHref({ at: isChosen ? undefined : keyOf(bin) })}
      aria-label={says}
      aria-current={isChosen ? 'true' : undefined}
    >
      <title>{says}</title>
      <rect class="hit" x={x} y={0} width={width} height={HEIGHT} />
      {came !== undefined && <rect class="came" x={x} width={width} {...came} />}
      {went !== undefined && <rect class="went" x={x} width={width} {...went} />}
    </a>
  );
}

function saysOf({ came, went }: Bin): string {
  const words = (tally: Tally, what: string): string[] =>
    tally.count === 0
      ? []
      : [`${tally.count} ${what} (${moneyChange(tally.usdPerMonth) || '±0'} a month)`];
  return [...words(came, 'came'), ...words(went, 'went')].join(', ');
}

/** To the second where spans are shorter than a minute. */
function momentOf(ms: number, { startMs, endMs }: Bin): string {
  return (endMs - startMs < 60_000 ? momentExact : moment)(ms, zone());
}

const COLUMNS: readonly Column<Bin>[] = [
  { title: 'from', value: ({ startMs }) => new Date(startMs).toISOString(), cell: (bin) => momentOf(bin.startMs, bin) },
  { title: 'to', value: ({ endMs }) => new Date(endMs).toISOString(), cell: (bin) => momentOf(bin.endMs, bin), isMinor: true },
  { title: 'came', value: ({ came }) => came.count },
  { title: 'a month', value: ({ came }) => came.usdPerMonth, cell: ({ came }) => moneyChange(came.usdPerMonth) },
  { title: 'went', value: ({ went }) => went.count },
  { title: 'less a month', value: ({ went }) => went.usdPerMonth, cell: ({ went }) => moneyChange(went.usdPerMonth) },
]; // prettier-ignore
