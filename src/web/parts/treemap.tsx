/** Parts of the whole as tiles: the rows of the table below, the largest first, the rest as one. */
import { colourOf } from '../colour.ts';
import { shortName, shownName } from '../costs/fields.ts';
import { tilesOf } from '../costs/treemap.ts';
import { moneyOrZero } from '../format.ts';
import { useMemo, type VNode } from '../preact.ts';
import { useWidth } from './width.ts';

export interface TreemapPart {
  readonly name: string;
  readonly usd: number;
  /** One level down; undefined: there is none. */
  readonly href: string | undefined;
}

const HEIGHT = 320;
const TILES_MOST = 80;
/** A letter of the labels, in pixels. */
const LETTER = 7;

/** @param parts from the largest to the least */
export function Treemap({ parts }: { parts: readonly TreemapPart[] }): VNode {
  const [box, width] = useWidth();
  const shown = useMemo(() => shownParts(parts), [parts]);
  const tiles = useMemo(() => {
    const amounts = shown.map(({ usd }) => usd);
    return width > 0 ? tilesOf(amounts, width, HEIGHT) : [];
  }, [shown, width]);
  return (
    <figure class="treemap" ref={box}>
      <svg width={width} height={HEIGHT} role="group" aria-label="Parts of the cost">
        {tiles.map(({ at, ...place }) => {
          const part = shown[at];
          return part === undefined ? null : <PartTile key={part.name} part={part} place={place} />;
        })}
      </svg>
    </figure>
  );
}

function shownParts(parts: readonly TreemapPart[]): TreemapPart[] {
  const largest = parts.filter(({ usd }) => usd > 0).slice(0, TILES_MOST);
  const rest = parts.slice(TILES_MOST).reduce((sum, { usd }) => sum + Math.max(0, usd), 0);
  return rest > 0 ? [...largest, { name: 'other', usd: rest, href: undefined }] : largest;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function PartTile({ part, place }: { part: TreemapPart; place: Place }): VNode {
  const { name, usd, href } = part;
  const { x, y, width, height } = place;
  const words = shownName(name);
  const short = shortName(name);
  const letters = Math.floor((width - 12) / LETTER);
  const inner = (
    <>
      <title>{`${words}: ${moneyOrZero(usd)}`}</title>
      <rect class={`fill ${colourOf(name)}`} x={x} y={y} width={width} height={height} />
      {short.length <= letters && height >= 20 && (
        <text x={x + 6} y={y + 16} aria-hidden="true">
          {short}
        </text>
      )}
      {short.length <= letters && letters >= 8 && height >= 38 && (
        <text x={x + 6} y={y + 33} class="usd" aria-hidden="true">
          {moneyOrZero(usd)}
        </text>
      )}
    </>
  );
  if (href === undefined) return <g>{inner}</g>;
  return (
    <a href={href} aria-label={`${words}, ${moneyOrZero(usd)}`}>
      {inner}
    </a>
  );
}
