/** Collections: what each costs, what they share, and the editor of one. */
import { useAnswer } from '../answers.ts';
import { collectionsPath, useCategoryCost, useOutside } from '../collections/asked.ts';
import { workloadsOf, type Collection } from '../collections/draft.ts';
import { Editor } from '../collections/editor.tsx';
import { OverlapFigure } from '../collections/overlap-figure.tsx';
import { countedAgain, type CategoryCost, type MemberCost } from '../collections/overlap.ts';
import { colourOf } from '../colour.ts';
import { money, moneyOrZero } from '../format.ts';
import { goOwn, own, ownHref } from '../own-state.ts';
import { List, type Column } from '../parts/list.tsx';
import { WindowPicker } from '../parts/picker.tsx';
import { Select } from '../parts/select.tsx';
import { Empty, Loaded, Notes } from '../parts/states.tsx';
import type { VNode } from '../preact.ts';
import { mayAct } from '../session.ts';
import { go, href, state } from '../state.ts';

export function Collections(): VNode {
  const shown = useAnswer<{ readonly collections: readonly Collection[] }>(collectionsPath());
  const of = own('of');
  return (
    <Loaded shown={shown} lines={8}>
      {({ data: { collections } }) => {
        const categories = categoriesOf(collections);
        const category = chosenCategory(categories);
        const members = collections.filter((each) => each.category === category);
        return (
          <>
            {collections.length === 0 ? (
              <None />
            ) : (
              <Category key={category} {...{ category, categories, members }} />
            )}
            {of !== '' && <Editor key={of} id={of} category={category} categories={categories} />}
          </>
        );
      }}
    </Loaded>
  );
}

/** Names of categories by letters; '' for collections without one comes last. */
function categoriesOf(collections: readonly Collection[]): readonly string[] {
  const names = [...new Set(collections.map(({ category }) => category))].toSorted();
  return [...names.filter((name) => name !== ''), ...names.filter((name) => name === '')];
}

function chosenCategory(categories: readonly string[]): string {
  if (own('in') === 'none') return '';
  return own('category', categories[0] ?? '');
}

function None(): VNode {
  return (
    <>
      <h1>Collections</h1>
      <Empty>
        <p>
          There are no collections yet. A collection is a name for what filters select: the
          workloads of a team, say, with its charges in the cloud’s bill.
        </p>
        <Begin />
      </Empty>
    </>
  );
}

/** The way to a new one, or to the right to make it. */
function Begin(): VNode | null {
  if (own('of') === 'new') return null;
  return (
    <a class="button" href={ownHref({ of: 'new' })}>
      {mayAct('editor') ? 'New collection' : 'Try a collection'}
    </a>
  );
}

function Category({
  category,
  categories,
  members,
}: {
  category: string;
  categories: readonly string[];
  members: readonly Collection[];
}): VNode {
  const { window } = state.value;
  const shown = useCategoryCost(category, members, window);
  return (
    <>
      <p class="asked collections-asked">
        <span>
          Collections{' '}
          <Select
            label="Category"
            value={category}
            choices={categories.map((name) => ({
              value: name,
              says: name === '' ? 'without a category' : `of ${name}`,
            }))}
            choose={(name) =>
              goOwn({ category: name, in: name === '' ? 'none' : undefined, of: undefined })
            }
          />{' '}
          in{' '}
          <WindowPicker label="Window" value={window} choose={(value) => go({ window: value })} />
        </span>
        <Begin />
      </p>
      {members.length === 0 ? (
        <Empty>There is no collection of {category}. It was renamed or removed meanwhile.</Empty>
      ) : (
        <Loaded shown={shown} lines={6}>
          {({ data, warnings, isPartial }) => (
            <>
              <div class="tally">
                <h1>{headline(data)}</h1>
                <Notes warnings={warnings} isPartial={isPartial} />
                <Outside category={category} />
              </div>
              <Members cost={data} collections={members} />
              <OverlapFigure cost={data} />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function headline({ cost, collections }: CategoryCost): string {
  const count = `${collections.length} ${collections.length === 1 ? 'collection' : 'collections'}`;
  if (cost === undefined) return count;
  return `${moneyOrZero(cost.totalCost)} in ${count}`;
}

/** What is in none of them. */
function Outside({ category }: { category: string }): VNode | null {
  const { answer } = useOutside(category, state.value.window);
  const cost = answer?.data.data.cost;
  if (cost === undefined) return <span class="late" />;
  const { totalCost, idleCost = 0 } = cost;
  return (
    <span class="late">
      {moneyOrZero(totalCost - idleCost)} is in none of them, and {moneyOrZero(idleCost)} is idle
    </span>
  );
}

interface Member extends MemberCost {
  /** '' for all workloads; undefined: it selects none. */
  readonly workloads: string | undefined;
}

const COLUMNS: readonly Column<Member>[] = [
  {
    title: 'collection',
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <>
        <i class={`dot ${colourOf(name)}`} />{' '}
        <a class="cut" href={ownHref({ of: id })}>
          {name}
        </a>
      </>
    ),
  },
  { title: 'cost', value: ({ cost }) => cost.totalCost, cell: ({ cost }) => moneyOrZero(cost.totalCost) },
  { title: 'workloads', value: workloadsUsd, cell: (row) => money(workloadsUsd(row)), isMinor: true },
  { title: 'bill', value: billUsd, cell: (row) => money(billUsd(row)), isMinor: true },
  { title: 'in no other', value: ({ aloneCost = NaN }) => aloneCost, cell: ({ aloneCost }) => money(aloneCost), isMinor: true },
  { title: 'idle', value: ({ cost }) => cost.idleCost ?? 0, cell: ({ cost }) => money(cost.idleCost ?? 0), isMinor: true },
  { title: 'made of', value: ({ workloads }) => workloads ?? '', cell: (row) => <Rows of={row} />, isNumber: false, isMinor: true },
]; // prettier-ignore

/** Columns that are left out where no row has anything. */
const SPARE = new Set(['bill', 'idle', 'in no other']);

function workloadsUsd({ cost }: MemberCost): number {
  return cost.domainCosts.kubernetesCost?.totalCost ?? 0;
}

function billUsd({ cost }: MemberCost): number {
  return cost.domainCosts.cloudCost?.totalCost ?? 0;
}

function Rows({ of: { workloads } }: { of: Member }): VNode | null {
  if (workloads === undefined) return null;
  return (
    <a href={href({ view: 'allocations', filter: workloads, path: [], more: '' })}>its workloads</a>
  );
}

function Members({
  cost,
  collections,
}: {
  cost: CategoryCost;
  collections: readonly Collection[];
}): VNode {
  const known = new Map(collections.map((each) => [each.id, each]));
  const rows = cost.collections.map((member): Member => {
    const collection = known.get(member.id);
    return { ...member, workloads: collection === undefined ? undefined : workloadsOf(collection) };
  });
  const again = countedAgain(cost);
  const foot =
    cost.cost === undefined ? undefined : ['each cost once', moneyOrZero(cost.cost.totalCost)];
  return (
    <>
      <List
        label="Collections"
        columns={COLUMNS.filter(({ title, value }) => !SPARE.has(title) || rows.some(value))}
        rows={rows.toSorted((a, b) => b.cost.totalCost - a.cost.totalCost)}
        keyOf={({ id }) => id}
        isChosen={({ id }) => id === own('of')}
        {...(foot === undefined ? {} : { foot })}
      />
      {again > 0 && (
        <p class="hint">
          Added up they cost {moneyOrZero(again)} more, as some costs are in several of them.
        </p>
      )}
    </>
  );
}
