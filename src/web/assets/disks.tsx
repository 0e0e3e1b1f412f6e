/** Disks: volumes with their claims, and those of nodes. */
import { useAnswer } from '../answers.ts';
import { bytes, money, moneyOrZero } from '../format.ts';
import { List, type Column } from '../parts/list.tsx';
import { Loaded } from '../parts/states.tsx';
import { useMemo, type VNode } from '../preact.ts';
import { href, state } from '../state.ts';
import type { AssetSet } from './asset.ts';
import { CLUSTER, costColumns, FIRST_ROWS, nameColumn, usedColumns } from './columns.tsx';
import { diskRows, unclaimed, type DiskRow } from './disk-rows.ts';
import { LISTED_MOST, listPath } from './questions.ts';

const COLUMNS: readonly Column<DiskRow>[] = [
  nameColumn('disk'),
  ...costColumns<DiskRow>(),
  {
    title: 'held by',
    value: (row) => heldBy(row),
    cell: (row) =>
      row.holder === 'none' ? <span class="warn">no claim</span> : <bdi>{heldBy(row)}</bdi>,
  },
  { title: 'size', value: ({ bytes: size }) => size, cell: ({ bytes: size }) => bytes(size) },
  { title: 'class', value: ({ storageClass }) => storageClass, isMinor: true },
  CLUSTER,
];

function heldBy({ holder, claim }: DiskRow): string {
  if (holder === 'claim') return claim;
  return holder === 'node' ? 'its node' : 'no claim';
}

export function Disks({ where }: { where: string }): VNode {
  const shown = useAnswer<readonly AssetSet[]>(listPath(state.value, where, 'Disk'));
  return (
    <section id="Disk">
      <h2>Disks</h2>
      <Loaded shown={shown} lines={6}>
        {({ data }) => <DiskList set={data[0] ?? {}} />}
      </Loaded>
    </section>
  );
}

function DiskList({ set }: { set: AssetSet }): VNode {
  const { open } = state.value;
  const rows = useMemo(() => diskRows(Object.values(set)), [set]);
  const free = unclaimed(rows);
  if (rows.length === 0) return <p class="hint">No disk meets the filter in this window.</p>;
  return (
    <>
      <p class="hint">
        {free.count === 0
          ? 'Every volume is held by a claim.'
          : `${free.count === 1 ? 'A volume is' : `${free.count} volumes are`} held by no claim: ${money(free.usd)}. `}
        {free.count > 0 && (
          <a href={href({ view: 'savings', more: 'of:unclaimedVolumes', open: '' })}>
            What they would save
          </a>
        )}
        {rows.length === LISTED_MOST && ` The ${LISTED_MOST} of most cost: a filter finds others.`}
      </p>
      <List
        label="Disks"
        columns={usedColumns(COLUMNS, rows)}
        first={FIRST_ROWS}
        rows={rows}
        keyOf={({ filter }) => filter}
        isChosen={({ filter }) => filter === open}
        foot={['together', moneyOrZero(rows.reduce((sum, { cost }) => sum + cost, 0))]}
      />
    </>
  );
}
