/** Settings of recommendations. */
import type { Rows } from './settings.ts';

export interface SizingSettings {
  /** The only cloud for which ARM is recommended. */
  readonly armProvider: string;
  /** The shape of V2's recommendations of requests without the parameter `shape`. */
  readonly requestSizingShape: 'object' | 'array';
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
  requestSizingShape: {
    key: 'requestSizing.shape',
    env: 'REQUEST_SIZING_SHAPE',
    flag: 'request-sizing-shape',
    help: 'what requestSizingV2 answers without `shape`: kubectl cost reads the list alone',
    accepted: 'object or array',
    example: 'array',
    fallback: () => 'object',
    read: (text) => (text === 'object' || text === 'array' ? text : undefined),
  },
};
