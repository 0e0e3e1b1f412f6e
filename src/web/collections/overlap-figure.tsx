/** What collections share: two circles, or a bar for each part; the same as a table. */
import { colourOf } from '../colour.ts';
import { moneyOrZero, percent } from '../format.ts';
import { List, type Column } from '../parts/list.tsx';
import { Empty } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { OVERLAPPING_MAX } from './asked.ts';
import { partsOf, partWords, type CategoryCost, type MemberCost, type Part } from './overlap.ts';
import { vennOf } from './venn.ts';

interface NamedPart extends Part {
  readonly says: string;
  readonly share: number;
}

const COLUMNS: readonly Column<NamedPart>[] = [
  { title: 'selected by', value: ({ says }) => says, cell: ({ says }) => <bdi>{says}</bdi> },
  { title: 'cost', value: ({ usd }) => usd, cell: ({ usd }) => moneyOrZero(usd) },
  { title: 'of the whole', value: ({ share }) => share, cell: ({ share }) => percent(share) },
];

/** Parts that have a bar; the table has all. */
const BARS = 24;

export function OverlapFigure({ cost }: { cost: CategoryCost }): VNode | null {
  const { collections } = cost;
  if (collections.length < 2) return null;
  const told = partsOf(cost);
  if (told === undefined) {
    return <NotTold count={collections.length} />;
  }
  const whole = cost.cost?.totalCost ?? 0;
  const names = new Map(collections.map(({ id, name }) => [id, name]));
  const parts = told.parts.map((part): NamedPart => ({
    ...part,
    says: partWords(part.ids.map((id) => names.get(id) ?? id)),
    share: part.usd / whole,
  }));
  return (
    <section aria-labelledby="overlap">
      <h2 id="overlap">What they share</h2>
      {parts.length === 0 ? (
        <Empty>They cost nothing in this window.</Empty>
      ) : (
        <div class="overlap">
          {canDraw(collections) && <Circles pair={collections} parts={parts} />}
          <Bars collections={collections} parts={parts.slice(0, BARS)} />
        </div>
      )}
      {!told.isWhole && (
        <p class="hint">
          A cost that three or more select is in the bar of each two of them: these bars do not add
          up.
        </p>
      )}
      <details class="notes">
        <summary>The same as a table</summary>
        <List label="Overlap" columns={COLUMNS} rows={parts} keyOf={({ ids }) => ids.join()} />
      </details>
    </section>
  );
}

function NotTold({ count }: { count: number }): VNode {
  return (
    <section aria-labelledby="overlap">
      <h2 id="overlap">What they share</h2>
      <Empty>
        {count > OVERLAPPING_MAX
          ? `There are ${count} of them; overlaps are told of ${OVERLAPPING_MAX} at most. Give some another category.`
          : 'Overlaps are told within a category. Give these one to see what they share.'}
      </Empty>
    </section>
  );
}

/** Circles stand for two costs above 0. */
function canDraw(collections: readonly MemberCost[]): boolean {
  return collections.length === 2 && collections.every(({ cost }) => cost.totalCost > 0);
}

const HEIGHT = 168;

function Circles({
  pair,
  parts,
}: {
  pair: readonly MemberCost[];
  parts: readonly NamedPart[];
}): VNode | null {
  const [a, b] = pair;
  if (a === undefined || b === undefined) return null;
  const both = parts.find(({ ids }) => ids.length === 2);
  const costs = [a.cost.totalCost, b.cost.totalCost] as const;
  const { left, right, both: outline, width, height } = vennOf(costs, both?.usd ?? 0, HEIGHT);
  const circles = [
    { ...left, member: a },
    { ...right, member: b },
  ].toSorted((one, other) => other.r - one.r);
  return (
    <svg
      class="venn"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label="What two collections share"
    >
      {circles.map(({ x, y, r, member }) => {
        const says = `${member.name}: ${moneyOrZero(member.cost.totalCost)}`;
        return (
          <circle
            key={member.id}
            class={colourOf(member.name)}
            cx={x}
            cy={y}
            r={r}
            role="img"
            tabIndex={0}
            aria-label={says}
          >
            <title>{says}</title>
          </circle>
        );
      })}
      {outline !== '' && both !== undefined && (
        <path
          d={outline}
          role="img"
          tabIndex={0}
          aria-label={`${both.says}: ${moneyOrZero(both.usd)}`}
        >
          <title>{`${both.says}: ${moneyOrZero(both.usd)}`}</title>
        </path>
      )}
    </svg>
  );
}

const DOT = 16;

/** A row for each part: dots for the collections that select it, a bar for its cost. */
function Bars({
  collections,
  parts,
}: {
  collections: readonly MemberCost[];
  parts: readonly NamedPart[];
}): VNode {
  const most = Math.max(...parts.map(({ usd }) => usd));
  const width = collections.length * DOT;
  return (
    <ol class="upset" aria-label="Parts by who selects them">
      {parts.map(({ ids, usd, says }) => {
        const places = collections.flatMap(({ id }, at) => (ids.includes(id) ? [at] : []));
        const x = (at: number): number => at * DOT + DOT / 2;
        const text = `${says}: ${moneyOrZero(usd)}`;
        return (
          <li key={ids.join()}>
            <svg class="dots" width={width} height={DOT} aria-hidden="true">
              <line x1={x(places[0] ?? 0)} x2={x(places.at(-1) ?? 0)} y1={DOT / 2} y2={DOT / 2} />
              {collections.map(({ id, name }, at) => (
                <circle
                  key={id}
                  class={places.includes(at) ? colourOf(name) : 'none'}
                  cx={x(at)}
                  cy={DOT / 2}
                  r={places.includes(at) ? 5 : 2}
                />
              ))}
            </svg>
            <bdi class="part">{says}</bdi>
            <svg class="bar" height={DOT} role="img" tabIndex={0} aria-label={text}>
              <title>{text}</title>
              <rect
                width={`${(100 * Math.max(0, usd)) / most}%`}
                height={DOT}
                class={places.length === 1 ? colourOf(collections[places[0] ?? 0]?.name ?? '') : ''}
              />
            </svg>
            <span class="num">{moneyOrZero(usd)}</span>
          </li>
        );
      })}
    </ol>
  );
}
