/** The keyboard in tables of costs: a row is walked to, and acted on. */
import type { ShownRow } from '../costs/groups.ts';
import { bindKeys } from '../keys.ts';
import { useEffect, useRef, useState } from '../preact.ts';
import { go } from '../state.ts';

/** Pixels, the same for all rows. */
export const ROW_HEIGHT: number = 32;

interface WalkedRows {
  readonly shown: readonly ShownRow[];
  /** Another is another table: the walk begins anew. */
  readonly rows: object;
  readonly below: (row: ShownRow) => string | undefined;
  readonly up: string | undefined;
  readonly toggle: (group: string) => void;
}

/** `j k` walk rows, `⏎` goes down, `←` up, `m` opens the number. */
export function useRowKeys(table: WalkedRows, body: { current: HTMLElement | null }): number {
  const [active, activate] = useState(-1);
  const latest = useRef({ table, active });
  latest.current = { table, active };
  useEffect(() => {
    const walk = (step: number): void => {
      const { shown } = latest.current.table;
      const next = Math.max(0, Math.min(shown.length - 1, latest.current.active + step));
      activate(next);
      const top = (body.current?.getBoundingClientRect().top ?? 0) + next * ROW_HEIGHT;
      if (top < 48 || top > innerHeight - 2 * ROW_HEIGHT) scrollBy({ top: top - innerHeight / 2 });
    };
    const row = (): ShownRow | undefined => latest.current.table.shown[latest.current.active];
    return bindKeys([
      { keys: 'j', says: 'next row', run: () => walk(1) },
      { keys: 'k', says: 'row before', run: () => walk(-1) },
      {
        keys: 'Enter',
        says: 'one level down',
        when: () => row() !== undefined,
        run: () => follow(row(), latest.current.table),
      },
      { keys: 'ArrowLeft', says: 'one level up', run: () => followLink(latest.current.table.up) },
      { keys: 'm', says: 'what the number is made of', run: () => go({ open: row()?.name ?? '' }) },
    ]);
  }, []);
  useEffect(() => activate(-1), [table.rows]);
  return active;
}

function follow(row: ShownRow | undefined, { below, toggle }: WalkedRows): void {
  if (row === undefined) return;
  if (row.kind === 'group') toggle(row.name);
  else followLink(below(row));
}

/** As a click does, with an entry in the history. */
function followLink(to: string | undefined): void {
  if (to === undefined) return;
  const link = document.createElement('a');
  link.href = to;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
}
