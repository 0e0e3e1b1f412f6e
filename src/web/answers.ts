/**
 * Answers that a view shows: asked again when the question changes, older questions aborted, the last answer
 * kept while a new one comes.
 */
import { ApiError, ask, askText, isOffline, lastAnswer, type Answer } from './api.ts';
import { signal, useEffect, useState, type Signal } from './preact.ts';
import { session } from './session.ts';

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

interface Held<T> extends Shown<T> {
  /** The last question that has ended. */
  readonly ended: string | undefined;
}

/** @param key names all that `load` depends on; undefined: nothing is loaded yet */
export function useLoaded<T>(
  key: string | undefined,
  load: (abort: AbortSignal) => Promise<T>,
): Shown<T> {
  const [held, hold] = useState<Held<T>>(NOTHING);
  const generationNow = generation.value;
  useEffect(() => {
    if (key === undefined) return;
    const abort = new AbortController();
    hold(({ answer, ended }) => ({ answer, ended, error: undefined, isLoading: true }));
    load(abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) hold({ answer, ended: key, error: undefined, isLoading: false });
      },
      (thrown: unknown) => {
        if (abort.signal.aborted) return;
        const error = errorFrom(thrown);
        // The right to ask has ended.
        if (error.status === 401) session.value = { is: 'unknown', error };
        hold(({ answer }) => ({ answer, ended: key, error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, generationNow]);
  const { answer, error, isLoading, ended } = held;
  // An effect runs after the first drawing of a new question: the answer there is still that of the old one.
  return {
    answer,
    error: ended === key ? error : undefined,
    isLoading: isLoading || ended !== key,
  };
}

const NOTHING = { answer: undefined, error: undefined, isLoading: true, ended: undefined } as const;

function errorFrom(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(0, thrown instanceof Error ? thrown.message : String(thrown));
}

const PULSE_MS = 60_000;

/** Asks `path` once a minute while the page is seen; when its text has changed, all is asked again. */
export function usePulse(path: string | undefined): void {
  useEffect(() => {
    if (path === undefined) return;
    const beat = (): void => {
      if (document.visibilityState !== 'visible') return;
      const before = lastAnswer(path);
      const wasOffline = isOffline.value;
      askText(path).then(
        () => {
          // What failed while the server was away is asked again too.
          if (wasOffline || before !== lastAnswer(path)) reload();
        },
        // The frame says that the server is away.
        () => undefined,
      );
    };
    const timer = setInterval(beat, PULSE_MS);
    return () => clearInterval(timer);
  }, [path]);
}
