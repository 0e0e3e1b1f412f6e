/** What is not known of the charges of a window. */
import { FoundCaveats, futureWarnings, spanText, type Window } from '../../query/index.ts';

export interface ToldCharges {
  /** Parts of the window up to now that no bill tells of; none where there is no bill at all. */
  untold(window: Window): readonly Window[];
}

interface Asked {
  /** The window of the request. */
  readonly asked: Window;
  /** All that is read: also time that the window is compared with. */
  readonly window: Window;
}

export function chargeCaveats(
  charges: ToldCharges,
  { asked, window }: Asked,
  nowMs: number,
): FoundCaveats {
  const caveats = new FoundCaveats();
  const ahead = futureWarnings([asked], nowMs);
  caveats.note(ahead);
  if (ahead.length === 0) caveats.lack(charges.untold(window).map(untoldWarning));
  return caveats;
}

export function untoldWarning(window: Window): string {
  return `no bill tells of ${spanText(window)}: the answer lacks its charges`;
}
