/** What is shown in the place of data: nothing there, failed, not allowed, not reached; and what to do next. */
import type { ApiError } from '../api.ts';
import { reload, type Shown } from '../answers.ts';
import type { ComponentChildren, VNode } from '../preact.ts';
import { session } from '../session.ts';

export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <div class="state">{children}</div>;
}

/** The API's own words, and what helps. */
export function Failure({
  error,
  again = reload,
}: {
  error: ApiError;
  /** What is done to ask again; default: all answers are. */
  again?: () => void;
}): VNode {
  const { status, message, hint, parameter } = error;
  const said = session.value;
  const roles = said.is === 'open' ? said.viewer.roles.join(', ') : '';
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>{HEADINGS[status] ?? (status === 0 ? 'Offline' : 'This cannot be shown')}</strong>{' '}
        {message}
      </p>
      {hint !== '' && <p class="hint">{hint}</p>}
      {status === 403 && parameter === 'role' && (
        <p class="hint">
          You have the role {roles || 'of nobody'}. Whoever runs this server can give you another.
        </p>
      )}
      {status !== 403 && status !== 400 && (
        <button type="button" onClick={() => again()}>
          Ask again
        </button>
      )}
    </div>
  );
}

const HEADINGS: Readonly<Record<number, string>> = {
  401: 'Sign in first.',
  403: 'Not allowed.',
  422: 'Too much at once.',
  429: 'Asked too often.',
  503: 'Not at the moment.',
};

/** The part of a view that shows an answer: dimmed while a new one comes, with its time where none comes. */
export function Loaded<T>({
  shown,
  children,
  lines = 3,
}: {
  shown: Shown<T>;
  children: (answer: T) => ComponentChildren;
  /** Room that is kept until there is an answer. */
  lines?: number;
}): VNode {
  const { answer, error, isLoading } = shown;
  if (answer === undefined) {
    if (error !== undefined) return <Failure error={error} />;
    return (
      <div class="waiting" aria-busy="true">
        {Array.from({ length: lines }, (_, index) => (
          <div key={index} class="bone" />
        ))}
      </div>
    );
  }
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      <div class={isLoading ? 'answer dimmed' : 'answer'} aria-busy={isLoading}>
        {children(answer)}
      </div>
    </>
  );
}

/** Notes of an answer, at the numbers that they concern. */
export function Notes({
  warnings,
  isPartial,
}: {
  warnings: readonly string[];
  isPartial: boolean;
}): VNode | null {
  if (warnings.length === 0 && !isPartial) return null;
  const count = `${warnings.length} ${warnings.length === 1 ? 'note' : 'notes'}`;
  return (
    <details class="notes">
      <summary>{isPartial ? `data partly missing · ${count}` : `data complete · ${count}`}</summary>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </details>
  );
}
