/** Every recorded request by the group of its route, in the order in which they are asked. */
import { COMPUTED_REQUESTS, SHORT_REQUESTS, STORED_REQUESTS } from './recorded-allocations.ts';
import { ASSET_REQUESTS, OWN_REQUESTS } from './recorded-assets.ts';
import { CLOUD_REQUESTS, EXTERNAL_REQUESTS } from './recorded-charges.ts';
import { COLLECTION_REQUESTS } from './recorded-collections.ts';
import { LOGIN_REQUESTS } from './recorded-logins.ts';
import type { Group } from './recorded-request.ts';
import { SAVINGS_REQUESTS } from './recorded-savings.ts';
import { INSTALLATION_REQUESTS, VIEW_REQUESTS } from './recorded-views.ts';
import { WRITE_REQUESTS } from './recorded-writes.ts';
import {
  AUDIT_REQUESTS,
  CLUSTER_REQUESTS,
  CLUSTER_SIZING_REQUESTS,
  PREDICTION_REQUESTS,
  REQUEST_SIZING_REQUESTS,
} from './recorded-sizing.ts';

export const RECORDED_GROUPS: readonly Group[] = [
  ['the server itself', OWN_REQUESTS],
  ['allocations, stored', STORED_REQUESTS],
  ['allocations in short', SHORT_REQUESTS],
  ['allocations, computed', COMPUTED_REQUESTS],
  ['assets', ASSET_REQUESTS],
  ['the installation', INSTALLATION_REQUESTS],
  ['trends, resources and sums', VIEW_REQUESTS],
  ['cloud costs', CLOUD_REQUESTS],
  ['external costs', EXTERNAL_REQUESTS],
  ['collections', COLLECTION_REQUESTS],
  ['request sizing', REQUEST_SIZING_REQUESTS],
  ['cluster sizing', CLUSTER_SIZING_REQUESTS],
  ['savings', SAVINGS_REQUESTS],
  ['cost prediction', PREDICTION_REQUESTS],
  ['lowering requests', CLUSTER_REQUESTS],
  ['cost events', AUDIT_REQUESTS],
  ['signing in', LOGIN_REQUESTS],
  ['remote write', WRITE_REQUESTS],
];
