/** The filter: written with completion of fields and of values, applied by Enter; errors point at their sign. */
import { ask, pathOf, type ApiError } from '../api.ts';
import { ALLOCATIONS, errorPlace, placeIn, type Grammar, type Place } from '../costs/completion.ts';
import { quoted } from '../costs/fields.ts';
import { bindKeys } from '../keys.ts';
import { useEffect, useRef, useState, type VNode } from '../preact.ts';

interface Offer {
  /** As it is shown. */
  readonly says: string;
  /** As it is written. */
  readonly text: string;
}

const WAIT_MS = 120;

interface FilterText {
  readonly value: string;
  /** Values are those of this window. */
  readonly window: string;
  /** What the API said to the filter. */
  readonly error: ApiError | undefined;
  readonly apply: (filter: string) => void;
  /** With each letter. */
  readonly onText?: (filter: string) => void;
  /** What the filter selects from; default allocations. */
  readonly grammar?: Grammar;
  /** The input's, where a view has several. */
  readonly id?: string;
  readonly label?: string;
}

/** A filter that is being written: its text, what is offered, and what keys do. */
function useWriting({ value, window, apply, onText, grammar = ALLOCATIONS }: FilterText): {
  readonly input: { current: HTMLInputElement | null };
  readonly text: string;
  readonly offers: readonly Offer[];
  readonly chosen: number;
  readonly change: (text: string) => void;
  readonly look: () => void;
  readonly take: (offer: Offer) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly leave: () => void;
} {
  const [text, write] = useState(value);
  const [place, setPlace] = useState<Place | undefined>();
  const [chosen, choose] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const offers = useOffers(place, window, grammar);
  useEffect(() => write(value), [value]);
  const look = (): void => {
    const box = input.current;
    if (box === null) return;
    setPlace(placeIn(box.value.slice(0, box.selectionStart ?? box.value.length)));
    choose(-1);
  };
  const take = (offer: Offer): void => {
    const box = input.current;
    if (box === null || place === undefined || place.is === 'joint') return;
    const end = box.selectionStart ?? box.value.length;
    const next = box.value.slice(0, place.start) + offer.text + box.value.slice(end);
    const cursor = place.start + offer.text.length;
    write(next);
    onText?.(next);
    box.value = next;
    box.focus();
    box.setSelectionRange(cursor, cursor);
    look();
  };
  const change = (next: string): void => {
    write(next);
    onText?.(next);
    look();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const offer = offers[chosen];
    if (step !== 0 && offers.length > 0) {
      event.preventDefault();
      choose((chosen + step + offers.length) % offers.length);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && offer !== undefined) {
      event.preventDefault();
      take(offer);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      setPlace(undefined);
      apply(text.trim());
    } else if (event.key === 'Escape') {
      if (place === undefined) change(value);
      setPlace(undefined);
    }
  };
  const leave = (): void => {
    setPlace(undefined);
    if (text.trim() !== value) apply(text.trim());
  };
  return { input, text, offers, chosen, change, look, take, onKeyDown, leave };
}

export function FilterBox(props: FilterText): VNode {
  const writing = useWriting(props);
  const { offers, chosen } = writing;
  const { error, id = 'filter', label = 'Filter', grammar = ALLOCATIONS } = props;
  return (
    <span class="filter-box">
      <input
        ref={writing.input}
        id={id}
        type="text"
        value={writing.text}
        spellcheck={false}
        autocomplete="off"
        aria-label={label}
        role="combobox"
        aria-expanded={offers.length > 0}
        aria-controls={`${id}-offers`}
        aria-autocomplete="list"
        aria-activedescendant={chosen >= 0 ? `${id}-offer-${chosen}` : undefined}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        placeholder={grammar.example}
        onFocus={writing.look}
        onClick={writing.look}
        onInput={(event) => writing.change(event.currentTarget.value)}
        onKeyDown={writing.onKeyDown}
        onBlur={writing.leave}
      />
      <ul class="sheet offers" id={`${id}-offers`} role="listbox" hidden={offers.length === 0}>
        {offers.map((offer, index) => (
          <li
            key={offer.text}
            id={`${id}-offer-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={(event) => {
              event.preventDefault();
              writing.take(offer);
            }}
          >
            {offer.says}
          </li>
        ))}
      </ul>
    </span>
  );
}

/** The key that leads to a view's filter, as long as the view is there. */
export function useFilterKey(): void {
  useEffect(
    () =>
      bindKeys([
        {
          keys: '/',
          says: 'write a filter',
          run: () => document.getElementById('filter')?.focus(),
        },
      ]),
    [],
  );
}

/**
 * The filter as it was read, with the sign that cannot be read marked.
 * @param whole the filter that was sent, of which the text is a part
 */
export function FilterError({
  text,
  whole,
  error,
  id = 'filter',
}: {
  text: string;
  whole: string;
  error: ApiError;
  /** The input's. */
  id?: string;
}): VNode {
  const offset = Math.max(0, whole.lastIndexOf(text));
  const inWhole = errorPlace(error.message);
  const at = inWhole === undefined ? undefined : Math.max(1, inWhole - offset);
  const before = at === undefined ? text : text.slice(0, at - 1);
  return (
    <div id={`${id}-error`} class="filter-error" role="alert">
      {at !== undefined && (
        <code>
          {before}
          <mark>{text.slice(at - 1, at) || '\u00a0'}</mark>
          {text.slice(at)}
        </code>
      )}
      <p>{error.message.replace(/^parameter '[^']*': /, '')}</p>
      {error.hint !== '' && <p class="hint">{error.hint}</p>}
    </div>
  );
}

function useOffers(place: Place | undefined, window: string, grammar: Grammar): readonly Offer[] {
  const [offers, offer] = useState<readonly Offer[]>([]);
  const key = place === undefined ? '' : JSON.stringify(place);
  useEffect(() => {
    if (place === undefined || place.is === 'joint') {
      offer([]);
      return;
    }
    if (place.is === 'field') {
      offer(fieldOffers(place.begun, grammar));
      return;
    }
    const abort = new AbortController();
    const wait = setTimeout(() => {
      const field = place.is === 'label' ? place.kind : fieldOf(place.field);
      const query = { window, field, search: place.begun, limit: 12 };
      ask<{ readonly data: readonly string[] }>(pathOf(grammar.values, query), abort.signal).then(
        ({ data }) =>
          offer(data.data.filter((own) => own !== '').map((own) => offered(place, own))),
        () => offer([]),
      );
    }, WAIT_MS);
    return () => {
      clearTimeout(wait);
      abort.abort();
    };
  }, [key, window]);
  return offers;
}

function offered(place: Place, value: string): Offer {
  return { says: value, text: place.is === 'label' ? `${value}]:` : quoted(value) };
}

/** `label[app]` is called `label:app` there. */
function fieldOf(field: string): string {
  return field.replace(/^(\w+)\[([^\]]*)\]$/, '$1:$2');
}

function fieldOffers(begun: string, grammar: Grammar): Offer[] {
  const lower = begun.toLowerCase();
  const fields = grammar.fields.map((field) => ({ says: field, text: `${field}:` }));
  const maps = grammar.maps.map((kind) => ({ says: `${kind}[…]`, text: `${kind}[` }));
  return [...fields, ...maps]
    .filter(({ says }) => says.toLowerCase().startsWith(lower))
    .slice(0, 12);
}
