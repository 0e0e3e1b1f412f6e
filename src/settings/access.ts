/** Settings of who may ask. */
import type { Rows } from './settings.ts';

export const AUTH_KINDS = ['none', 'tokens'] as const;

export type AuthKind = (typeof AUTH_KINDS)[number];

export interface AccessSettings {
  readonly auth: AuthKind;
  /** The file of tokens. */
  readonly tokens: string | undefined;
}

export const ACCESS_SETTINGS: Rows<AccessSettings> = {
  auth: {
    key: 'auth',
    env: 'AUTH',
    help: 'how callers sign in: none, nobody has to; tokens, by those of --tokens',
    accepted: `one of ${AUTH_KINDS.join(', ')}`,
    example: 'tokens',
    fallback: () => 'none',
    read: (text) => AUTH_KINDS.find((kind) => kind === text),
  },
  tokens: {
    key: 'tokens',
    env: 'TOKENS_FILE',
    help: 'a file of tokens for --auth tokens, YAML; read again when it changes',
    accepted: 'a path',
    example: '/etc/prorata/tokens.yaml',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
};
