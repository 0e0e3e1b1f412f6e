/** Stored days as a calendar: a column a week, a cell a day, its tint what the day cost. */
import { isoDate, moneyOrZero, weekday } from '../../format.ts';
import { useLayoutEffect, useRef, useState, type VNode } from '../../preact.ts';
import { zone } from '../../session.ts';
import { href } from '../../state.ts';
import { weeksOf, type StoredDay } from './calendar.ts';

const TINTS = 4;
/** How far an arrow goes. */
const MOVES: Readonly<Record<string, number>> = {
  ArrowUp: -1,
  ArrowDown: 1,
  ArrowLeft: -7,
  ArrowRight: 7,
};

export function CalendarMap({ days }: { days: readonly StoredDay[] }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [current, enter] = useState(days.length - 1);
  // Where there is no room for all, the newest are seen.
  useLayoutEffect(() => box.current?.scrollTo({ left: box.current.scrollWidth }), []);
  const most = Math.max(...days.map(({ cost }) => cost), 0);
  const tintOf = ({ cost }: StoredDay): number =>
    most === 0 ? 1 : Math.max(1, Math.ceil((TINTS * cost) / most));
  const move = (event: KeyboardEvent): void => {
    const by = MOVES[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const next = Math.min(days.length - 1, Math.max(0, current + by));
    enter(next);
    box.current?.querySelectorAll('a')[next]?.focus();
  };
  const indexOf = new Map(days.map((each, index) => [each, index]));
  return (
    <div
      class="calendar"
      ref={box}
      role="group"
      aria-label="Stored days; arrows move"
      onKeyDown={move}
    >
      {weeksOf(days).map((week, column) => (
        <div key={column} class="week">
          {week.map((each, row) => {
            if (each === undefined) return <span key={row} class="cell" />;
            const date = isoDate(each.startMs, zone());
            const says = `${weekday(each.startMs, zone())} ${date}: ${each.why}${each.cost > 0 ? `, ${moneyOrZero(each.cost)}` : ''}`;
            return (
              <a
                key={row}
                class={`cell ${each.state} tint-${tintOf(each)}`}
                href={href({ view: 'allocations', window: date })}
                aria-label={says}
                title={says}
                tabIndex={indexOf.get(each) === current ? 0 : -1}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}
