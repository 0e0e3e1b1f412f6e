/** How a collection is saved, and removed behind its typed name. */
import type { ApiError } from '../api.ts';
import { goOwn } from '../own-state.ts';
import { reload } from '../answers.ts';
import { Failure } from '../parts/states.tsx';
import { useState, type VNode } from '../preact.ts';
import { errorFrom, remove, save, type Tagged } from './asked.ts';
import { listed, type Draft } from './draft.ts';

interface SavingProps {
  /** Undefined: it is new. */
  readonly base: Tagged | undefined;
  readonly draft: Draft;
  /** What saving would change. */
  readonly changes: readonly string[];
  /** Its filters can be read. */
  readonly isReadable: boolean;
  readonly onSaved: (saved: Tagged) => void;
}

export function Saving({ base, draft, changes, isReadable, onSaved }: SavingProps): VNode {
  const [isUnderWay, setUnderWay] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [saved, setSaved] = useState('');
  const run = (before: Tagged | undefined): void => {
    setUnderWay(true);
    setError(undefined);
    save(before, draft).then(
      (result) => {
        setUnderWay(false);
        setSaved(result.tag);
        onSaved(result);
      },
      (thrown: unknown) => {
        setUnderWay(false);
        const failed = errorFrom(thrown);
        setError(failed);
        // What it is now is asked for, and shown beside what is written.
        if (failed.status === 412) reload();
      },
    );
  };
  const isNamed = draft.name.trim() !== '';
  const isDone = changes.length === 0 && base !== undefined;
  return (
    <>
      <div class="actions saving">
        <button
          type="button"
          class="primary"
          disabled={isUnderWay || !isNamed || !isReadable || isDone}
          onClick={() => run(base)}
        >
          {base === undefined ? 'Make it' : 'Save'}
        </button>
        <span class="dim" role="status">
          {isUnderWay && 'Saving …'}
          {!isUnderWay && !isNamed && 'It needs a name.'}
          {!isUnderWay &&
            isNamed &&
            isDone &&
            (saved === base.tag ? 'Saved.' : 'Nothing is changed.')}
          {!isUnderWay && isNamed && !isDone && base !== undefined && `Changes ${listed(changes)}.`}
        </span>
      </div>
      {error !== undefined && error.status !== 412 && <Failure error={error} />}
      {error?.status === 404 && (
        <button type="button" onClick={() => run(undefined)}>
          Make it again
        </button>
      )}
      {base !== undefined && <Removal base={base} />}
    </>
  );
}

/** What takes it from everybody wants its name to be typed. */
function Removal({ base }: { base: Tagged }): VNode {
  const [typed, type] = useState('');
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const { name } = base.collection;
  const isTyped = typed.trim() === name;
  const submit = (): void => {
    if (!isTyped) return;
    setError(undefined);
    remove(base).then(
      () => goOwn({ of: undefined }),
      (thrown: unknown) => {
        setError(errorFrom(thrown));
        reload();
      },
    );
  };
  return (
    <details class="removal">
      <summary>Remove it</summary>
      <div class="confirm">
        <label>
          <span>
            Type <strong>{name}</strong> to remove it for everybody; no cost is lost
          </span>
          <input
            value={typed}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => type(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') submit();
            }}
          />
        </label>
        <button type="button" class="primary" disabled={!isTyped} onClick={submit}>
          Remove
        </button>
      </div>
      {error !== undefined && <Failure error={error} />}
    </details>
  );
}
