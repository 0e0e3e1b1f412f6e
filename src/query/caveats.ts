/**
 * What an answer says about itself. It is partial for one reason only: something of its window is not
 * known. Warnings of parameters, of odd data and of windows in the future say nothing of that kind.
 */
import { addedWarnings } from './text/added-warnings.ts';

export interface Caveats {
  readonly warnings: readonly string[];
  /** A part of what the window held is not known, and not in the answer. */
  readonly isPartial: boolean;
}

/** What is stored about a set. */
interface SetCaveats {
  readonly warnings: readonly string[];
  readonly hasGaps?: boolean;
}

/** Caveats of an answer while they are found, each warning once. */
export class FoundCaveats implements Caveats {
  readonly #warnings: Set<string> = new Set();
  readonly #ofSets: string[] = [];
  #isPartial = false;

  /** Money that sets warn of is that of all sets together. */
  get warnings(): readonly string[] {
    return [...new Set([...this.#warnings, ...addedWarnings(this.#ofSets)])];
  }

  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Each sentence is about a part of the window that is not known. */
  lack(sentences: Iterable<string>): void {
    for (const sentence of sentences) {
      this.#isPartial = true;
      this.#warnings.add(sentence);
    }
  }

  /** Nothing is missing for these. */
  note(sentences: Iterable<string>): void {
    for (const sentence of sentences) this.#warnings.add(sentence);
  }

  add({ warnings, isPartial }: Caveats): void {
    if (isPartial) this.#isPartial = true;
    this.note(warnings);
  }

  /** A set that lacks a part of its time says why. */
  lackOfSet({ hasGaps = false, warnings }: SetCaveats): void {
    if (!hasGaps) return;
    this.#isPartial = true;
    this.#ofSets.push(...warnings);
  }
}

/** The caveats after warnings that come first, such as those of parameters. */
export function withNotes(notes: readonly string[], { warnings, isPartial }: Caveats): Caveats {
  return { warnings: [...notes, ...warnings], isPartial };
}

/**
 * The caveats for a caller that sees some rows alone: warnings name others' rows and count them.
 * @param notes of what the caller itself sent
 */
export function discreet(
  { isPartial }: Pick<Caveats, 'isPartial'>,
  notes: readonly string[],
): Caveats {
  return { warnings: isPartial ? [...notes, NOT_WHOLE] : notes, isPartial };
}

const NOT_WHOLE = 'a part of the window is not known: who sees all rows is told which';
