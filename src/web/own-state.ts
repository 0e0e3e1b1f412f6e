/** What a view keeps of its own in the address: pairs in `more`, `of:requestSizing,level:most`. */
import { go, href, state } from './state.ts';
import { FIELDS } from './url.ts';

type Change = Readonly<Record<string, string | undefined>>;

const { read, write } = FIELDS.path;

export function own(name: string, preset: string = ''): string {
  const pairs = read(state.value.more) ?? [];
  return pairs.find(({ field }) => field === name)?.value ?? preset;
}

/** A link to the same view, changed; undefined and '' take a pair out. */
export function ownHref(change: Change): string {
  return href({ more: changed(change) });
}

/** @param isSmall as of `go` */
export function goOwn(change: Change, isSmall: boolean = false): void {
  go({ more: changed(change) }, isSmall);
}

function changed(change: Change): string {
  const pairs = new Map((read(state.value.more) ?? []).map(({ field, value }) => [field, value]));
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') pairs.delete(name);
    else pairs.set(name, value);
  }
  return write([...pairs].map(([field, value]) => ({ field, value })));
}
