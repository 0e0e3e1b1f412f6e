/**
 * What an answer says about itself. It is partial for one reason only: something of its window is not
 * known. Warnings of parameters, of odd data and of windows in the future say nothing of that kind.
 */
import {
  addedWarnings,
  listedWarnings,
  warningsOfSet,
  type StoredWarnings,
  type Warning,
  type WarningLike,
} from './warnings.ts';

export interface Caveats {
  /** In any order, and some of them several times: answers list them by cost. */
  readonly warnings: readonly WarningLike[];
  /** A part of what the window held is not known, and not in the answer. */
  readonly isPartial: boolean;
}

/** What is stored about a set. */
interface SetCaveats extends StoredWarnings {
  readonly hasGaps?: boolean;
}

/** Caveats of an answer while they are found, each warning once. */
export class FoundCaveats implements Caveats {
  readonly #warnings: WarningLike[] = [];
  readonly #ofSets: WarningLike[] = [];
  #isPartial = false;

  /** Money that sets warn of is that of all sets together. */
  get warnings(): readonly Warning[] {
    return listedWarnings([...this.#warnings, ...addedWarnings(this.#ofSets)]);
  }

  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Each is about a part of the window that is not known. */
  lack(warnings: Iterable<WarningLike>): void {
    for (const warning of warnings) {
      this.#isPartial = true;
      this.#warnings.push(warning);
    }
  }

  /** Nothing is missing for these. */
  note(warnings: Iterable<WarningLike>): void {
    this.#warnings.push(...warnings);
  }

  add({ warnings, isPartial }: Caveats): void {
    if (isPartial) this.#isPartial = true;
    this.note(warnings);
  }

  /** A set that lacks a part of its time says why. */
  lackOfSet({ hasGaps = false, ...stored }: SetCaveats): void {
    if (!hasGaps) return;
    this.#isPartial = true;
    this.#ofSets.push(...warningsOfSet(stored));
  }
}

/** The caveats after warnings that come first, such as those of parameters. */
export function withNotes(
  notes: readonly WarningLike[],
  { warnings, isPartial }: Caveats,
): Caveats {
  return { warnings: [...notes, ...warnings], isPartial };
}

/**
 * The caveats for a caller that sees some rows alone: warnings name others' rows and count them.
 * @param notes of what the caller itself sent
 */
export function discreet(
  { isPartial }: Pick<Caveats, 'isPartial'>,
  notes: readonly WarningLike[],
): Caveats {
  return { warnings: isPartial ? [...notes, NOT_WHOLE] : notes, isPartial };
}

const NOT_WHOLE = 'a part of the window is not known: who sees all rows is told which';
