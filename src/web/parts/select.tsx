/** A word of the sentence that can be chosen: the browser's own list, laid over the word. */
import type { VNode } from '../preact.ts';

export interface Choice {
  readonly value: string;
  readonly says: string;
}

/** @param words by value */
export function choicesOf(words: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(words).map(([value, says]) => ({ value, says }));
}

export function Select({
  label,
  value,
  choices,
  choose,
  onOpen,
  title,
}: {
  /** Read to those who do not see the sentence. */
  label: string;
  value: string;
  choices: readonly Choice[];
  choose: (value: string) => void;
  /** Before it is opened, as to ask for what can be chosen. */
  onOpen?: () => void;
  title?: string;
}): VNode {
  const own = choices.some((choice) => choice.value === value) ? [] : [{ value, says: value }];
  const all = [...own, ...choices];
  return (
    <span class="word select" title={title}>
      <span aria-hidden="true">{all.find((choice) => choice.value === value)?.says}</span>
      <select
        aria-label={label}
        value={value}
        onFocus={onOpen}
        onPointerDown={onOpen}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {all.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.says}
          </option>
        ))}
      </select>
    </span>
  );
}
