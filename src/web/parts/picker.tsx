/** The window: presets, a pair of dates, any form that the API reads, in the zone of its days. */
import { useEffect, useRef, useState, type VNode } from '../preact.ts';
import { zone } from '../session.ts';
import { addDays } from '../costs/periods.ts';
import { isoDate } from '../format.ts';

const PRESETS: readonly (readonly [window: string, says: string])[] = [
  ['today', 'today'],
  ['yesterday', 'yesterday'],
  ['7d', 'last 7 days'],
  ['14d', 'last 14 days'],
  ['30d', 'last 30 days'],
  ['90d', 'last 90 days'],
  ['week', 'this week'],
  ['lastweek', 'last week'],
  ['month', 'this month'],
  ['lastmonth', 'last month'],
];

const SPAN_WORDS: Readonly<Record<string, string>> = {
  m: 'minutes',
  h: 'hours',
  d: 'days',
  w: 'weeks',
};

/** A window in words. */
export function windowWords(window: string): string {
  const preset = PRESETS.find(([own]) => own === window);
  if (preset !== undefined) return preset[1];
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(window) ?? [];
  const words = SPAN_WORDS[unit];
  if (count !== undefined && words !== undefined) return `last ${count} ${words}`;
  return window.replaceAll('T00:00:00Z', '').replace(',', ' to ');
}

export function WindowPicker({
  value,
  choose,
  label,
}: {
  value: string;
  choose: (window: string) => void;
  label: string;
}): VNode {
  const [isOpen, open] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const leave = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target) !== true)
        open(false);
    };
    document.addEventListener('pointerdown', leave);
    document.addEventListener('focusin', leave);
    return () => {
      document.removeEventListener('pointerdown', leave);
      document.removeEventListener('focusin', leave);
    };
  }, [isOpen]);
  const take = (window: string): void => {
    open(false);
    choose(window);
    root.current?.querySelector('button')?.focus();
  };
  return (
    <span
      class="picker"
      ref={root}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        open(false);
        root.current?.querySelector('button')?.focus();
      }}
    >
      <button
        type="button"
        class="word"
        aria-expanded={isOpen}
        aria-label={`${label}: ${windowWords(value)}`}
        onClick={() => open(!isOpen)}
      >
        {windowWords(value)}
      </button>
      {isOpen && <Choices value={value} take={take} />}
    </span>
  );
}

function Choices({ value, take }: { value: string; take: (window: string) => void }): VNode {
  const [text, write] = useState(value);
  const today = isoDate(Date.now(), zone());
  const [, from = '', to = ''] = /^(\d{4}-\d\d-\d\d),(\d{4}-\d\d-\d\d)$/.exec(value) ?? [];
  const [first, setFirst] = useState(from === '' ? addDays(today, -7) : from);
  const [last, setLast] = useState(to === '' ? addDays(today, -1) : addDays(to, -1));
  return (
    <div class="sheet" role="group" aria-label="Windows">
      <div class="presets">
        {PRESETS.map(([window, says]) => (
          <button
            key={window}
            type="button"
            class="quiet"
            aria-pressed={window === value}
            onClick={() => take(window)}
          >
            {says}
          </button>
        ))}
      </div>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (first !== '' && last !== '') take(`${first},${addDays(last, 1)}`);
        }}
      >
        <label>
          from
          <input
            type="date"
            value={first}
            max={last}
            onInput={(event) => setFirst(event.currentTarget.value)}
          />
        </label>
        <label>
          to the end of
          <input
            type="date"
            value={last}
            min={first}
            onInput={(event) => setLast(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Show</button>
      </form>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') take(text.trim());
        }}
      >
        <label>
          or in words of the API
          <input
            type="text"
            value={text}
            spellcheck={false}
            placeholder="36h offset 1d"
            onInput={(event) => write(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Show</button>
      </form>
      <p class="hint">Days begin at midnight in {zone()}.</p>
    </div>
  );
}
