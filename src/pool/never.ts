/** The signal of work that several readers may share: it goes on when one of them leaves. */
export const NEVER: AbortSignal = new AbortController().signal;
