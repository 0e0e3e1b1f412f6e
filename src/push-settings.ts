/** Settings of costs that others push. */
import type { Rows } from './settings.ts';

export interface PushSettings {
  /** What a push has to show; absent: none is taken. */
  readonly customCostToken: string | undefined;
  readonly customCostTokenFile: string | undefined;
}

export const PUSH_SETTINGS: Rows<PushSettings> = {
  customCostToken: {
    key: 'customCostToken',
    env: 'CUSTOM_COST_TOKEN',
    help: 'bearer token of who may push external costs',
    accepted: 'at least 16 visible ASCII characters without blanks',
    example: '…',
    otherwise: 'none, no push is taken',
    // Never on a command line, where every process sees it.
    isSecret: true,
    fallback: () => undefined,
    read: (text) => (/^[\x21-\x7e]{16,4096}$/.test(text) ? text : undefined),
  },
  customCostTokenFile: {
    key: 'customCostTokenFile',
    env: 'CUSTOM_COST_TOKEN_FILE',
    help: 'a file with that token; read again for every push',
    accepted: 'a path',
    example: '/etc/prorata/custom-cost-token',
    otherwise: 'none',
    fallback: () => undefined,
    read: (text) => (text.includes('\0') ? undefined : text),
  },
};
