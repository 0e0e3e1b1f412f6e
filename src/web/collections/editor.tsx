/** One collection: its filters with what they cost, and how it is saved. */
import { goOwn, ownHref } from '../own-state.ts';
import { WindowPicker } from '../parts/picker.tsx';
import { Failure, Loaded } from '../parts/states.tsx';
import { useEffect, useRef, useState, type VNode } from '../preact.ts';
import { mayAct } from '../session.ts';
import { go, state } from '../state.ts';
import { moneyOrZero } from '../format.ts';
import { useCollection, useDraftCost, type DraftShown, type Tagged } from './asked.ts';
import { changesOf, draftOf, lineOf, listed, type Draft } from './draft.ts';
import { Lines } from './lines.tsx';
import { Saving } from './saving.tsx';

interface EditorProps {
  /** `new`, or the id of a collection. */
  readonly id: string;
  /** Where a new one begins. */
  readonly category: string;
  readonly categories: readonly string[];
}

export function Editor(props: EditorProps): VNode {
  const isNew = props.id === 'new';
  const shown = useCollection(isNew ? undefined : props.id);
  const box = useRef<HTMLElement>(null);
  // It stands below what may be more than a screen.
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [shown.answer === undefined]);
  return (
    <section class="editor" aria-labelledby="editor" ref={box}>
      <header>
        <h2 id="editor">{isNew ? 'A new collection' : shown.answer?.collection.name}</h2>
        <a class="button quiet" href={ownHref({ of: undefined })}>
          Close
        </a>
      </header>
      {isNew ? (
        <Form {...props} known={undefined} />
      ) : (
        <Loaded shown={shown} lines={4}>
          {(known) => <Form {...props} known={known} />}
        </Loaded>
      )}
    </section>
  );
}

function Form({ known, category, categories }: EditorProps & { known: Tagged | undefined }): VNode {
  const [base, setBase] = useState(known);
  const [draft, write] = useState<Draft>(() => draftOf(known?.collection, category));
  const changes = changesOf(draftOf(base?.collection, category), draft);
  const take = (other: Tagged | undefined): void => {
    setBase(other);
    write(draftOf(other?.collection, category));
  };
  const isOther = known?.tag !== base?.tag;
  useEffect(() => {
    if (isOther && changes.length === 0) take(known);
  }, [known?.tag]);
  const cost = useDraftCost(draft, state.value.window);
  return (
    <form class="draft" onSubmit={(event) => event.preventDefault()}>
      {isOther && changes.length > 0 && (
        <Conflict
          theirs={changesOf(draftOf(base?.collection), draftOf(known?.collection))}
          onTheirs={() => take(known)}
          onMine={() => setBase(known)}
        />
      )}
      <Named {...{ draft, write, categories }} />
      <Lines draft={draft} write={write} cost={cost} window={state.value.window} />
      <Total cost={cost} draft={draft} />
      {mayAct('editor') ? (
        <Saving
          base={base}
          draft={draft}
          changes={changes}
          isReadable={cost.error === undefined || cost.error.status !== 400}
          onSaved={(saved) => {
            setBase(saved);
            write(draftOf(saved.collection));
            const { id, category: own } = saved.collection;
            goOwn({ of: id, category: own, in: own === '' ? 'none' : undefined });
          }}
        />
      ) : (
        <p class="hint">
          You may try filters here. To make, change or remove a collection it takes the role editor.
          Whoever runs this server can give it to you.
        </p>
      )}
    </form>
  );
}

function Named({
  draft,
  write,
  categories,
}: {
  draft: Draft;
  write: (draft: Draft) => void;
  categories: readonly string[];
}): VNode {
  return (
    <p class="named">
      <label>
        Name
        <input
          value={draft.name}
          maxLength={200}
          autocomplete="off"
          onInput={(event) => write({ ...draft, name: event.currentTarget.value })}
        />
      </label>
      <label>
        Category
        <input
          value={draft.category}
          maxLength={200}
          list="categories"
          autocomplete="off"
          onInput={(event) => write({ ...draft, category: event.currentTarget.value })}
        />
      </label>
      <datalist id="categories">
        {categories.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </p>
  );
}

function Conflict({
  theirs,
  onTheirs,
  onMine,
}: {
  /** What they changed. */
  theirs: readonly string[];
  onTheirs: () => void;
  onMine: () => void;
}): VNode {
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>Somebody else has changed it meanwhile</strong>: <bdi>{listed(theirs)}</bdi>. What
        you write is not saved yet.
      </p>
      <div class="actions">
        <button type="button" onClick={onTheirs}>
          Show theirs, and drop mine
        </button>
        <button type="button" onClick={onMine}>
          Go on with mine, in place of theirs
        </button>
      </div>
    </div>
  );
}

function Total({ cost, draft }: { cost: DraftShown; draft: Draft }): VNode {
  const { answer, error, isLoading } = cost;
  const isOfLine = error !== undefined && lineOf(draft, error.parameter) !== undefined;
  const workloads = answer?.cost.domainCosts.kubernetesCost?.totalCost ?? 0;
  const charges = answer?.cost.domainCosts.cloudCost?.totalCost ?? 0;
  return (
    <>
      <p class={`total ${isLoading || error !== undefined ? 'dimmed' : ''}`} role="status">
        <strong>{answer === undefined ? '…' : moneyOrZero(answer.cost.totalCost)}</strong> in{' '}
        <WindowPicker
          label="Window of the total"
          value={state.value.window}
          choose={(value) => go({ window: value })}
        />
        {charges > 0 && (
          <span class="dim">
            {' '}
            · {moneyOrZero(workloads)} of workloads, {moneyOrZero(charges)} of the bill
          </span>
        )}
        {answer !== undefined && draft.lines.length > 1 && (
          <span class="dim"> · what several filters select counts once</span>
        )}
      </p>
      {error !== undefined && !isOfLine && <Failure error={error} />}
    </>
  );
}
