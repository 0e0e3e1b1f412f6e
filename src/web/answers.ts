/**
 * Answers that a view shows: asked again when the question changes, older questions aborted, the last answer
 * kept while a new one comes.
 */
import { ApiError, ask, askText, type Answer } from './api.ts';
import { signal, useEffect, useState, type Signal } from './preact.ts';

export interface Shown<T> {
  /** The last answer, of the last question or of the one before. */
  readonly answer: T | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
}

/** Rises when data have changed: what is shown is asked again. */
const generation: Signal<number> = signal(0);

export function reload(): void {
  generation.value++;
}

/** JSON of a path; undefined: not yet known what to ask. */
export function useAnswer<T>(path: string | undefined): Shown<Answer<T>> {
  return useLoaded(path, (abort) => ask<T>(path ?? '', abort));
}

/** Text of a path, such as CSV. */
export function useText(path: string | undefined): Shown<string> {
  return useLoaded(path, (abort) => askText(path ?? '', abort));
}

/** @param key names all that `load` depends on; undefined: nothing is loaded yet */
export function useLoaded<T>(
  key: string | undefined,
  load: (abort: AbortSignal) => Promise<T>,
): Shown<T> {
  const [shown, show] = useState<Shown<T>>(NOTHING);
  const generationNow = generation.value;
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    show(({ answer }) => ({ answer, error: undefined, isLoading: true }));
    load(abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) show({ answer, error: undefined, isLoading: false });
      },
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        show(({ answer }) => ({ answer, error: errorFrom(thrown), isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, generationNow]);
  return shown;
}

const NOTHING = { answer: undefined, error: undefined, isLoading: true } as const;

function errorFrom(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, thrown instanceof Error ? thrown.message : String(thrown));
}

const PULSE_MS = 60_000;

/** Asks `path` once a minute while the page is seen; when its text has changed, all is asked again. */
export function usePulse(path: string | undefined): void {
  useEffect(() => {
    if (path === undefined) return;
    let before: string | undefined;
    const beat = (): void => {
      if (document.visibilityState !== 'visible') return;
      askText(path).then(
        (text) => {
          if (before !== text) reload();
          before = text;
        },
        () => undefined,
      );
    };
    const timer = setInterval(beat, PULSE_MS);
    return () => clearInterval(timer);
  }, [path]);
}
