/** POST /cluster/requestsizer/…: endpoints 8 and 9, and undo. */
import type { HttpReply, HttpRequest, Route } from '../http/index.ts';
import { json, stream } from '../http/index.ts';
import { Fault, readJson, shapeOf, type Shape } from '../query/index.ts';
import { planRequests, type PlanOptions } from './plan.ts';
import { readTargets } from './plan-body.ts';
import { readRecommendations } from './plan-input.ts';
import { repeatedName } from './repeated-name.ts';
import type { Run, Sizer } from './sizer.ts';

export interface SizerRouteOptions {
  /** Undefined while the controller is switched off. */
  readonly sizer: Sizer | undefined;
  readonly note: (sentence: string) => void;
}

const UNDO: Shape<{ readonly id?: string }> = shapeOf<{ readonly id?: string }>(
  {
    type: 'object',
    properties: { id: { type: 'string', nullable: true } },
    additionalProperties: false,
  },
  '{"id":"000001-20260101T120000000Z"}',
);

type Handler = (sizer: Sizer, request: HttpRequest) => Promise<HttpReply>;

const ROOT = '/cluster/requestsizer';
/** Of a header: servers and proxies take 8 KiB of all of them. */
const DROPPED_CHARACTERS = 4000;
const DROPPED_LOGGED = 100;

export function sizerRoutes({ sizer, note }: SizerRouteOptions): Route[] {
  const plan: Handler = ({ options }, request) => planned(options, request, note);
  const handlers: readonly (readonly [Route['method'], string, Handler])[] = [
    ['POST', 'plan', plan],
    ['POST', 'planV2', plan],
    ['POST', 'apply', applied],
    ['POST', 'undo', undone],
    ['GET', 'applies', async (own) => json(await own.runs())],
  ];
  return handlers.map(([method, path, handler]) => ({
    method,
    path: `${ROOT}/${path}`,
    async handle(request) {
      if (sizer === undefined) throw switchedOff();
      checkType(request);
      return await handler(sizer, request);
    },
  }));
}

async function applied(sizer: Sizer, request: HttpRequest): Promise<HttpReply> {
  const text = textOf(request.body);
  const value = readJson(text, 'the body', '{}');
  const twice = repeatedName(text);
  if (twice !== undefined) throw saidTwice(twice);
  const targets = readTargets(value, sizer.options.clusterId);
  const run = await sizer.apply(targets, request.signal);
  // As it came: numbers and the order of keys are the client's.
  return resultStream(run, `"FromPlan":${text.trim()}`);
}

function saidTwice(name: string): Fault {
  return new Fault(`an object of the body has '${name.slice(0, 80)}' twice`, {
    parameter: name.slice(0, 80),
    hint: 'say each name of an object once: it is not plain which of them counts',
  });
}

async function undone(sizer: Sizer, request: HttpRequest): Promise<HttpReply> {
  const text = textOf(request.body).trim() || '{}';
  const { id } = UNDO(readJson(text, 'the body', '{}'), 'the body');
  const run = await sizer.undo(id, request.signal);
  return resultStream(run, `"FromApply":${JSON.stringify(run.of)}`);
}

/** The answer begins when the run does, and ends with it: it may take minutes. */
function resultStream(run: Run, last: string): HttpReply {
  const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(`{"TimeInitiated":${JSON.stringify(run.TimeInitiated)}`);
    const { TimeFinished, Errors, Warnings } = await run.result;
    const rest = JSON.stringify({ TimeFinished, Errors, Warnings }).slice(1, -1);
    yield Buffer.from(`,${rest},${last}}`);
  };
  return stream('application/json', chunks(), { 'x-apply-id': run.id });
}

function switchedOff(): Fault {
  return new Fault('the cluster controller is switched off', {
    status: 403,
    parameter: 'clusterController.enabled',
    hint: 'start with --cluster-controller true, CLUSTER_CONTROLLER_ENABLED=true or clusterController.enabled in the file',
  });
}

function checkType(request: HttpRequest): void {
  const type = request.header('content-type');
  if (type === '' || /^application\/json\s*(;|$)/i.test(type)) return;
  throw new Fault(`a body of type '${type.slice(0, 80)}' is not read`, {
    status: 415,
    parameter: 'content-type',
    hint: 'send content-type: application/json',
  });
}

async function planned(
  sizer: PlanOptions,
  request: HttpRequest,
  note: (sentence: string) => void,
): Promise<HttpReply> {
  const value = readJson(textOf(request.body), 'the body', '{"Recommendations":[]}');
  const { plan, dropped } = await planRequests(sizer, readRecommendations(value), request.signal);
  for (const each of dropped.slice(0, DROPPED_LOGGED)) note(`not planned: ${each}`);
  const reply = json(plan);
  return { ...reply, headers: { ...reply.headers, 'x-plan-dropped': droppedHeader(dropped) } };
}

/** @throws {Fault} for what is no UTF-8 */
function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new Fault('the body is not UTF-8', { hint: 'send JSON in UTF-8', cause });
  }
}

/** A JSON array of ASCII; what does not fit is counted. */
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
