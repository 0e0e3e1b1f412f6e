import { nearest } from './text/nearest.ts';
import { hideSecrets } from './url-secrets.ts';

/**
 * The caller's mistake: becomes a 4xx answer that names the parameter, its value and what is
 * accepted. Parsers throw it; one place (http/route.ts) turns it into bytes.
 */
export class Fault extends Error {
  readonly status: number;
  readonly parameter: string | undefined;
  readonly hint: string | undefined;
  /** Whether it tells of all rows, also of those that who asks may not see, such as how many there are. */
  readonly isOfAllRows: boolean;

  constructor(
    message: string,
    options: {
      status?: number;
      parameter?: string;
      hint?: string;
      isOfAllRows?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(hideSecrets(message), { cause: options.cause });
    this.name = 'Fault';
    this.status = options.status ?? 400;
    this.parameter = options.parameter;
    this.hint = options.hint;
    this.isOfAllRows = options.isOfAllRows ?? false;
  }
}

/**
 * A failure of the outside world (such as a metrics store that is down, slow or damaged): becomes a 5xx
 * answer that names it. Adapters throw it, with the cause.
 */
export class Unavailable extends Error {
  readonly status: number;
  readonly hint: string | undefined;
  /** Where it may pass by itself: after so long the same may succeed. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    options: {
      status?: number;
      hint?: string | undefined;
      retryAfterSeconds?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(hideSecrets(message), { cause: options.cause });
    this.name = 'Unavailable';
    this.status = options.status ?? 503;
    this.hint = options.hint;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** Whether the outside world fails for now: what cannot be read then is not damaged. */
export function isPassing(error: unknown): boolean {
  return error instanceof Unavailable && error.retryAfterSeconds !== undefined;
}

/**
 * A value of a known parameter that is not accepted: 400 with the parameter, the value and an example.
 * @param names words that are accepted: the nearest one is what was meant; or that one itself
 */
export function refuse(
  parameter: string,
  value: string,
  accepted: string,
  example: string,
  names: readonly string[] | string = [],
): Fault {
  const hidden = hideSecrets(value);
  const shown =
    hidden.length > 80 ? `${hidden.slice(0, 80)}… (${value.length} characters)` : hidden;
  return new Fault(`parameter '${parameter}': '${shown}' is not ${accepted}`, {
    parameter,
    hint: meant(parameter, value, names) ?? `for example ${parameter}=${example}`,
  });
}

function meant(
  parameter: string,
  value: string,
  names: readonly string[] | string,
): string | undefined {
  const near = typeof names === 'string' ? names : nearest(value.trim(), names);
  return near === undefined ? undefined : `did you mean ${parameter}=${near}?`;
}
