/**
 * Who changed what: every change is recorded before it is made, and how it went before it is answered.
 *
 *     request ──► what is to change ──► record on the disk ──► change ──► outcome on the disk ──► answer
 *                                       │ fails
 *                                       └──► 503, nothing changes
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AdmittedRequest, Change, HttpReply, Route } from '../http/index.ts';
import { asRequestError, Fault, hideSecrets, Unavailable } from '../query/index.ts';
import { RotatedLog } from '../storage/index.ts';
import type { Logger } from '../terminal/log.ts';

/** Who asked for a change, from where. */
export interface By {
  readonly who?: string;
  readonly from: string;
  readonly request?: string;
  readonly route?: string;
}

type Append = (record: object) => Promise<void>;

interface Place {
  readonly auditLog: string | undefined;
  readonly auditLogBytes: number;
  readonly auditLogFiles: number;
  readonly dataDir: string | undefined;
}

export interface RecordedChanges {
  /** The routes, of which those that change something record it. */
  of(routes: readonly Route[]): Route[];
  /** Records a change that no request asked for. @param told what the outcome tells of the result @returns what `work` does */
  own<T>(
    action: string,
    change: Change,
    work: () => Promise<T>,
    told?: (result: T) => object,
  ): Promise<T>;
  /** Records that could not be written; undefined where nothing is recorded. */
  failures(): number | undefined;
  close(): Promise<void>;
}

/** @throws {Unavailable} when the file that the configuration names cannot be written */
export async function openRecordedChanges(
  config: Place,
  isReadOnly: boolean,
  log: Pick<Logger, 'error'>,
  by: By = { from: 'prorata' },
): Promise<RecordedChanges> {
  const { auditLog, auditLogBytes: fileBytes, auditLogFiles: files, dataDir } = config;
  const inFolder = dataDir === undefined || isReadOnly ? undefined : join(dataDir, 'audit.ndjson');
  const path = auditLog ?? inFolder;
  if (path === undefined) {
    return {
      of: (routes) => [...routes],
      own: (_, __, work) => work(),
      failures: () => undefined,
      close: async () => {},
    };
  }
  const file = new RotatedLog({ path, fileBytes, files });
  // One in the folder is made with the first change.
  if (auditLog !== undefined) await file.open();
  let failures = 0;
  const append: Append = (record) =>
    file.append({ time: new Date().toISOString(), ...record }).catch((error: unknown) => {
      failures++;
      throw error;
    });
  return {
    of: (routes) => routes.map((route) => recordedRoute(route, append, log)),
    own: (action, change, work, told) =>
      recordedWork({ by, action, path, append, log }, change, work, told),
    failures: () => failures,
    close: () => file.close(),
  };
}

function recordedRoute(route: Route, append: Append, log: Pick<Logger, 'error'>): Route {
  const { changes: action } = route;
  if (action === undefined) return route;
  return { ...route, handle: (request) => handled(route, action, request, append, log) };
}

async function handled(
  route: Route,
  action: string,
  request: AdmittedRequest,
  append: Append,
  log: Pick<Logger, 'error'>,
): Promise<HttpReply> {
  const { visit } = request;
  const { who, peer: from, id } = visit;
  const by: By = { ...(who === '' ? {} : { who }), from, request: id, route: visit.route };
  const change = randomUUID();
  let isRecorded = false;
  visit.record = async (what) => {
    await append(recordOf(change, action, by, what)).catch((cause: unknown) => {
      throw new Unavailable('the change cannot be recorded, so nothing was changed', { cause });
    });
    isRecorded = true;
  };
  const end = async (outcome: object): Promise<void> => {
    if (!isRecorded) return;
    await append({ change, ...outcome }).catch((error: unknown) =>
      log.error({ err: error, change }, 'the outcome of a change cannot be recorded'),
    );
  };
  try {
    const reply = await route.handle(request);
    const { status, headers } = reply;
    if (status < 300 && !isRecorded) throw new Error(`BUG: ${action} changed something unrecorded`);
    const apply = headers['x-apply-id'];
    await end({ outcome: 'done', status, ...(apply === undefined ? {} : { apply }) });
    return reply;
  } catch (error) {
    await end(failureOf(error));
    throw error;
  }
}

interface OwnChange {
  readonly by: By;
  readonly action: string;
  /** The file of the records. */
  readonly path: string;
  readonly append: Append;
  readonly log: Pick<Logger, 'error'>;
}

async function recordedWork<T>(
  { by, action, path, append, log }: OwnChange,
  what: Change,
  work: () => Promise<T>,
  told: (result: T) => object = () => ({}),
): Promise<T> {
  const change = randomUUID();
  await append(recordOf(change, action, by, what)).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Unavailable(`${action} cannot be recorded, so nothing was changed: ${why}`, {
      hint: `let this user write ${path}, or choose another file with --audit-log`,
      cause,
    });
  });
  const end = (outcome: object): Promise<void> =>
    append({ change, ...outcome }).catch((error: unknown) =>
      log.error({ err: error, change }, 'the outcome of a change cannot be recorded'),
    );
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await end(failureOf(error));
    throw error;
  }
  await end({ outcome: 'done', ...told(result) });
  return result;
}

function recordOf(change: string, action: string, by: By, { of, before, after }: Change): object {
  return { change, action, ...by, of, before, after };
}

function failureOf(thrown: unknown): object {
  const error = asRequestError(thrown);
  const isKnown = error instanceof Fault || error instanceof Unavailable;
  const reason = isKnown ? hideSecrets(error.message) : 'internal error';
  return { outcome: 'failed', status: isKnown ? error.status : 500, reason };
}
