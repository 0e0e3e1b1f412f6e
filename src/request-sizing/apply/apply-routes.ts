/** POST /cluster/requestsizer/…: endpoints 8 and 9, and undo. */
import { createHash } from 'node:crypto';
import type { HttpReply, HttpRequest, Route } from '../../http/index.ts';
import { json, stream } from '../../http/index.ts';
import { Fault } from '../../query/index.ts';
import { nameText } from './controller.ts';
import { planRequests } from './plan.ts';
import { recommendationsIn, targetsIn, undoIdIn, type BodyOptions } from './read-bodies.ts';
import type { Run, ApplyRunner } from './apply-runner.ts';

export interface ApplyRouteOptions extends BodyOptions {
  /** Undefined while the controller is switched off. */
  readonly runner: ApplyRunner | undefined;
  readonly note: (sentence: string) => void;
}

type Handler = (runner: ApplyRunner, request: HttpRequest) => Promise<HttpReply>;

const ROOT = '/cluster/requestsizer';
/** Characters of one header: servers and proxies take 8 KiB of all headers. */
const DROPPED_CHARACTERS = 4000;
const DROPPED_LOGGED = 100;
/** Controllers of an apply that are recorded by name. */
const RECORDED_MAX = 200;

export function applyRoutes(options: ApplyRouteOptions): Route[] {
  const { runner } = options;
  const plan: Handler = (own, request) => planned(options, own, request);
  const handlers: readonly (readonly [Route['method'], string, Handler, changes?: string])[] = [
    ['POST', 'plan', plan],
    ['POST', 'planV2', plan],
    ['POST', 'apply', (own, request) => applied(options, own, request), 'requests.apply'],
    ['POST', 'undo', (own, request) => undone(options, own, request), 'requests.undo'],
    ['GET', 'applies', async (own) => json(await own.runs())],
  ];
  return handlers.map(([method, path, handler, changes]): Route => ({
    method,
    path: `${ROOT}/${path}`,
    needs: method === 'GET' ? 'viewer' : 'operator',
    ...(changes === undefined ? {} : { changes }),
    scoping: { refused: 'changes in the cluster are not held to a filter' },
    async handle(request) {
      if (runner === undefined) throw switchedOff();
      return await handler(runner, request);
    },
  }));
}

async function applied(
  options: BodyOptions,
  runner: ApplyRunner,
  { body, signal, visit }: HttpRequest,
): Promise<HttpReply> {
  const { clusterId } = runner.options;
  const targets = await targetsIn(options, body, clusterId, signal);
  const names = targets.slice(0, RECORDED_MAX).map(({ controller }) => nameText(controller));
  // What was there before and is after, container by container, is in the journal of the apply.
  await visit.record({
    of: clusterId,
    before: null,
    after: { controllers: targets.length, names, plan: sha256Of(body) },
  });
  const run = await runner.apply(targets, signal);
  // The body as received: numbers and the order of keys are the client's.
  return resultStream(run, [Buffer.from('"FromPlan":'), withoutBlanks(body)]);
}

/** The body without the blanks that JSON may have before and after its value. */
function withoutBlanks(body: Uint8Array): Uint8Array {
  const isBlank = (byte: number | undefined): boolean =>
    byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
  let [start, end] = [0, body.length];
  while (isBlank(body[start])) start++;
  while (isBlank(body[end - 1])) end--;
  return body.subarray(start, end);
}

async function undone(
  options: BodyOptions,
  runner: ApplyRunner,
  { body, signal, visit }: HttpRequest,
): Promise<HttpReply> {
  const id = await undoIdIn(options, body, signal);
  await visit.record({
    of: runner.options.clusterId,
    before: { apply: id ?? 'the last' },
    after: null,
  });
  const run = await runner.undo(id, signal);
  return resultStream(run, [Buffer.from(`"FromApply":${JSON.stringify(run.of)}`)]);
}

/** The answer begins when the run does, and ends with it: it may take minutes. */
function resultStream(run: Run, last: readonly Uint8Array[]): HttpReply {
  const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(`{"TimeInitiated":${JSON.stringify(run.TimeInitiated)}`);
    const { TimeFinished, Errors, Warnings } = await run.result;
    const rest = JSON.stringify({ TimeFinished, Errors, Warnings }).slice(1, -1);
    yield Buffer.from(`,${rest},`);
    yield* last;
    yield Buffer.from('}');
  };
  return stream('application/json', chunks(), { 'x-apply-id': run.id });
}

function sha256Of(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

function switchedOff(): Fault {
  return new Fault('the cluster controller is switched off', {
    status: 403,
    parameter: 'clusterController.enabled',
    hint: 'start with --cluster-controller true, CLUSTER_CONTROLLER_ENABLED=true or clusterController.enabled in the file',
  });
}

async function planned(
  options: ApplyRouteOptions,
  runner: ApplyRunner,
  { body, signal }: HttpRequest,
): Promise<HttpReply> {
  const recommendations = await recommendationsIn(options, body, signal);
  const { plan, dropped } = await planRequests(runner.options, recommendations, signal);
  for (const each of dropped.slice(0, DROPPED_LOGGED)) options.note(`not planned: ${each}`);
  const reply = json(plan);
  return { ...reply, headers: { ...reply.headers, 'x-plan-dropped': droppedHeader(dropped) } };
}

/** A JSON array of ASCII; reasons that do not fit are counted. */
function droppedHeader(dropped: readonly string[]): string {
  const parts: string[] = [];
  let characters = 0;
  for (const each of dropped) {
    const part = asciiJson(each);
    characters += part.length + 1;
    if (characters > DROPPED_CHARACTERS) break;
    parts.push(part);
  }
  const left = dropped.length - parts.length;
  return `[${[...parts, ...(left > 0 ? [`"and ${left} more"`] : [])].join(',')}]`;
}

function asciiJson(text: string): string {
  const escaped = (unit: string): string =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(/[^\x20-\x7e]/g, escaped);
}
