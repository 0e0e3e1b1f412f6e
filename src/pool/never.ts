/** Signals of work that several readers may share: it goes on when one of them leaves. */
export const NEVER: AbortSignal = new AbortController().signal;

const LASTING: WeakMap<AbortSignal, AbortSignal> = new WeakMap();
const ASKED_BY: WeakMap<AbortSignal, WeakRef<AbortSignal>> = new WeakMap();

/** A signal like NEVER whose work counts as that of a request, the one which asked first. */
export function lasting(request: AbortSignal): AbortSignal {
  let own = LASTING.get(request);
  if (own === undefined) {
    own = new AbortController().signal;
    LASTING.set(request, own);
    ASKED_BY.set(own, new WeakRef(request));
  }
  return own;
}

/** The signal of the request that the work of `signal` is for. */
export function requestOf(signal: AbortSignal): AbortSignal {
  return ASKED_BY.get(signal)?.deref() ?? signal;
}
