export { AnswerLost, ApiRefusal, type ClusterApi, type Page, type WatchEvent } from './api.ts';
export { follow, type Followed, type FollowOptions, type FollowState } from './follow.ts';
export { httpTransport, openHttpTransport } from './http-transport.ts';
export { collectionPath, KINDS, type Kind, type Place } from './kinds.ts';
export type { Change } from './known-objects.ts';
export type { Amounts, ClusterObject, ContainerSpec } from './objects.ts';
export { createClusterApi, type RestOptions } from './rest.ts';
export type { ApiAnswer, ApiCall, Transport } from './transport.ts';
export { createPacer } from './pacer.ts';
