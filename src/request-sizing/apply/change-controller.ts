/**
 * Changes one controller: read, decide on what is there, dry run by the server, intent, patch for
 * that very version, outcome. A conflict starts over with what is there then.
 */
import {
  AnswerLost,
  ApiRefusal,
  type ClusterApi,
  type ClusterObject,
} from '../../cluster/index.ts';
import { readQuantity, Unavailable } from '../../query/index.ts';
import { requestOf } from './amounts.ts';
import { containerOf, containersOf, type ControllerName } from './controller.ts';
import type { Change, RunLog, Step } from './journal.ts';

export interface Decision {
  readonly steps: readonly Step[];
  readonly warnings: readonly string[];
}

/** Decides on steps for an object as it is now; a text says why there are none. */
export type Decide = (object: ClusterObject) => Decision | string;

export interface ChangeContext {
  readonly api: ClusterApi;
  readonly log: Pick<RunLog, 'intent' | 'outcome'>;
  /** False: no other request may grow either, whatever admission does. */
  readonly mayRaise: boolean;
  /** Ends what is under way; only when the process must end. */
  readonly signal: AbortSignal;
}

export type Changed =
  | { readonly is: 'changed'; readonly change: Change; readonly warnings: readonly string[] }
  | { readonly is: 'unchanged'; readonly warnings: readonly string[] }
  | { readonly is: 'failed'; readonly why: string; readonly isUnreachable: boolean };

const MOST_TRIES = 3;

export async function changeController(
  context: ChangeContext,
  controller: ControllerName,
  decide: Decide,
): Promise<Changed> {
  for (let tries = 1; ; tries++) {
    try {
      const changed = await changeOnce(context, controller, decide);
      if (changed !== 'again') return changed;
      if (tries >= MOST_TRIES) return failed(`it changed ${MOST_TRIES} times while it was changed`);
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return failed(error.message, !(error instanceof ApiRefusal));
    }
  }
}

async function changeOnce(
  context: ChangeContext,
  controller: ControllerName,
  decide: Decide,
): Promise<Changed | 'again'> {
  const { api, log, signal } = context;
  const object = await api.get(controller.kind, controller, signal);
  if (object === undefined) return failed('it is gone');
  const decision = decide(object);
  if (typeof decision === 'string') return { is: 'unchanged', warnings: [decision] };
  const { steps, warnings } = decision;
  if (steps.length === 0) return { is: 'unchanged', warnings };
  const patch = patchOf(object, steps);
  const send = (isDryRun: boolean): Promise<ClusterObject | 'conflict'> =>
    api.patch(controller.kind, controller, patch, { isDryRun, signal }).catch(unlessConflict);
  const tried = await send(true);
  if (tried === 'conflict') return 'again';
  const raised = context.mayRaise ? undefined : raisedIn(object, tried);
  if (raised !== undefined) return failed(`the cluster's admission would raise ${raised}`);
  const change: Change = { controller, uid: object.metadata.uid, steps };
  await log.intent(change);
  try {
    const result = await send(false);
    await log.outcome(result === 'conflict' ? 'failed' : 'done');
    return result === 'conflict' ? 'again' : { is: 'changed', change, warnings };
  } catch (error) {
    if (!(error instanceof AnswerLost)) {
      await log.outcome('failed');
      throw error;
    }
    const isDone = await lookAgain(context, change, error);
    await log.outcome(isDone ? 'done' : 'failed');
    return isDone ? { is: 'changed', change, warnings } : 'again';
  }
}

function failed(why: string, isUnreachable: boolean = false): Changed {
  return { is: 'failed', why, isUnreachable };
}

function unlessConflict(error: unknown): 'conflict' {
  if (error instanceof ApiRefusal && error.apiStatus === 409) return 'conflict';
  throw error;
}

/** Whether a patch whose answer was lost was made. */
async function lookAgain(
  { api, signal }: ChangeContext,
  change: Change,
  lost: AnswerLost,
): Promise<boolean> {
  const { kind } = change.controller;
  const object = await api.get(kind, change.controller, signal).catch((cause: unknown) => {
    const message = `nobody knows whether it was changed: ${lost.message}`;
    throw new Unavailable(message, { cause });
  });
  return object !== undefined && isAt(object, change, 'to');
}

/** Whether all requests of a change are as they were before it, or as they are after it. */
export function isAt(object: ClusterObject, { uid, steps }: Change, side: 'from' | 'to'): boolean {
  if (object.metadata.uid !== uid) return false;
  return steps.every((step) => {
    const container = containerOf(object, step.container);
    return container && requestOf(container, step.resource) === readQuantity(step[side]);
  });
}

function patchOf({ metadata: { resourceVersion } }: ClusterObject, steps: readonly Step[]): object {
  const requests = new Map<string, Record<string, string>>();
  for (const { container, resource, to } of steps) {
    requests.set(container, { ...requests.get(container), [resource]: to });
  }
  const containers = [...requests].map(([name, own]) => ({ name, resources: { requests: own } }));
  return { metadata: { resourceVersion }, spec: { template: { spec: { containers } } } };
}

/** The first request that is larger than it was, or was not there. */
function raisedIn(before: ClusterObject, after: ClusterObject): string | undefined {
  for (const container of containersOf(after)) {
    const old = containerOf(before, container.name);
    for (const [resource, amount] of Object.entries(container.resources?.requests ?? {})) {
      const was = old?.resources?.requests?.[resource];
      const now = readQuantity(String(amount));
      const least = was === undefined ? undefined : readQuantity(String(was));
      if (now === undefined || least === undefined || now > least) {
        return `${resource} of ${container.name} to ${amount}`;
      }
    }
  }
  return undefined;
}
