/** Who looks, what they may do, and what server this is: asked once. */
import { ApiError, ask, csrfToken, token } from './api.ts';
import { signal, type Signal } from './preact.ts';

export interface Viewer {
  readonly name: string;
  readonly roles: readonly string[];
  /** Rows that they may see, as a filter; null: all. */
  readonly filter: string | null;
  readonly expires: string | null;
  readonly isSignedIn: boolean;
  readonly csrfToken?: string;
}

export interface Server {
  readonly version: string;
  readonly source: string;
  readonly timezone: string;
}

export type Session =
  | { readonly is: 'asking' }
  | { readonly is: 'unknown'; readonly error: ApiError }
  | { readonly is: 'open'; readonly viewer: Viewer; readonly server: Server };

export const session: Signal<Session> = signal({ is: 'asking' });

/** From the least rights to the most. */
const ROLES: readonly string[] = ['viewer', 'editor', 'operator', 'admin'];

export function mayAct(role: string): boolean {
  const { value } = session;
  if (value.is !== 'open') return false;
  return value.viewer.roles.some((own) => ROLES.indexOf(own) >= ROLES.indexOf(role));
}

/** The zone of the server's days. */
export function zone(): string {
  return session.value.is === 'open' ? session.value.server.timezone : 'UTC';
}

export async function openSession(): Promise<void> {
  try {
    const [viewer, server] = await Promise.all([ask<Viewer>('whoami'), ask<Server>('version')]);
    csrfToken.value = viewer.data.csrfToken ?? '';
    session.value = { is: 'open', viewer: viewer.data, server: server.data };
  } catch (thrown) {
    const error = thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown));
    session.value = { is: 'unknown', error };
  }
}

export async function signIn(entered: string): Promise<void> {
  token.value = entered.trim();
  await openSession();
}
