/** Settings of recommendations. */
import type { Rows } from './settings.ts';

export interface SizingSettings {
  /** The one cloud of which ARM is recommended. */
  readonly armProvider: string;
}

export const SIZING_SETTINGS: Rows<SizingSettings> = {
  armProvider: {
    key: 'armProvider',
    env: 'ARM_PROVIDER',
    help: 'the one cloud of which ARM nodes are recommended, as nodes and price lists name it',
    accepted: 'the name of a cloud',
    example: 'GCP',
    otherwise: 'AWS',
    fallback: () => 'AWS',
    read: (text) => (/^[\w .-]{1,40}$/.test(text) ? text : undefined),
  },
};
