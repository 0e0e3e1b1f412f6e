/**
 * Bodies of plan, apply and undo. Workers read and check them, as parsing a large body takes long. The
 * values return in slices, so that the main thread can serve other requests between them.
 */
import { setImmediate } from 'node:timers/promises';
import {
  storeBytes,
  storeValues,
  valuesIn,
  withOwner,
  type Arena,
  type Engine,
  type Owner,
  type TextPiece,
} from '../../columnar/index.ts';
import type { Admission, Compute } from '../../pool/index.ts';
import {
  bodyText,
  Fault,
  readBoundedJson,
  repeatedName,
  shapeOf,
  type Shape,
} from '../../query/index.ts';
import type { Wanted } from './amounts.ts';
import type { ControllerName } from './controller.ts';
import { readTargets, type Target } from './plan-body.ts';
import { readRecommendations, type Recommendation } from './plan-input.ts';
import type { TasksOf } from '../../pool/task.ts';

export interface BodyOptions {
  readonly compute: Compute<BodyTasks>;
  readonly admission: Admission;
}

export interface BodyInput {
  /** UTF-8. */
  readonly body: TextPiece;
  /** Owns the values that are returned. */
  readonly owner: Owner;
}

/** Pieces of JSON, which `valuesIn` reads. */
type Values = readonly TextPiece[];

export type BodyTasks = {
  readPlanTargets: { input: BodyInput & { readonly clusterId: string }; output: Values };
  readRecommended: { input: BodyInput; output: Values };
  readUndoId: { input: BodyInput; output: string | null };
};

/** Nanos as texts: JSON has no integers of that size. */
interface WantedTexts {
  readonly cpu: string | null;
  readonly memory: string | null;
}

interface TargetTexts {
  readonly controller: ControllerName;
  readonly containers: readonly (readonly [name: string, wanted: WantedTexts])[];
}

type RecommendationTexts = Omit<Recommendation, 'wanted'> & { readonly wanted: WantedTexts };

/** JSON that the main thread reads at once: about a millisecond. */
const SLICE_CHARS = 32 * 1024;

export const UNDO: Shape<{ readonly id?: string }> = shapeOf<{ readonly id?: string }>(
  {
    type: 'object',
    properties: { id: { type: 'string', nullable: true } },
    additionalProperties: false,
  },
  '{"id":"000001-20260101T120000000Z"}',
);

export function bodyTasks({ arena }: Pick<Engine, 'arena'>): TasksOf<BodyTasks> {
  const textAt = ({ address, bytes }: TextPiece): string =>
    bodyText(arena.text(address, bytes), 'send JSON in UTF-8');
  const store = (owner: Owner, values: Iterable<unknown>): Values =>
    storeValues(arena, owner, values, SLICE_CHARS);
  return {
    readPlanTargets({ body, clusterId, owner }) {
      const text = textAt(body);
      const value = readBoundedJson(text, 'the body', '{}');
      const twice = repeatedName(text);
      if (twice !== undefined) throw repeated(twice);
      return store(owner, readTargets(value, clusterId).map(targetTexts));
    },

    readRecommended({ body, owner }) {
      const value = readBoundedJson(textAt(body), 'the body', '{"Recommendations":[]}');
      const texts = readRecommendations(value).map((each) => ({
        ...each,
        wanted: wantedTexts(each.wanted),
      }));
      return store(owner, texts);
    },

    readUndoId({ body }) {
      const text = textAt(body).trim() || '{}';
      return UNDO(readBoundedJson(text, 'the body', '{}'), 'the body').id ?? null;
    },
  };
}

/** @throws {Fault} 400 naming the field; 422 for a cluster that is not `clusterId` */
export async function targetsIn(
  options: BodyOptions,
  bytes: Uint8Array,
  clusterId: string,
  signal: AbortSignal,
): Promise<Target[]> {
  return await inWorker(options, bytes, signal, async (input) => {
    const pieces = await options.compute.pool.run(
      'readPlanTargets',
      { ...input, clusterId },
      signal,
    );
    return await collected<TargetTexts, Target>(options.compute.arena, pieces, targetOf);
  });
}

/** @returns recommendations sorted by name @throws {Fault} naming the field, its value, what it takes */
export async function recommendationsIn(
  options: BodyOptions,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Recommendation[]> {
  return await inWorker(options, bytes, signal, async (input) => {
    const pieces = await options.compute.pool.run('readRecommended', input, signal);
    return await collected<RecommendationTexts, Recommendation>(
      options.compute.arena,
      pieces,
      (each) => ({
        ...each,
        wanted: wantedOf(each.wanted),
      }),
    );
  });
}

/** @returns undefined for the last apply @throws {Fault} naming the field */
export async function undoIdIn(
  options: BodyOptions,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string | undefined> {
  const read = (input: BodyInput): Promise<string | null> =>
    options.compute.pool.run('readUndoId', input, signal);
  return (await inWorker(options, bytes, signal, read)) ?? undefined;
}

async function inWorker<Result>(
  { compute, admission }: BodyOptions,
  bytes: Uint8Array,
  signal: AbortSignal,
  read: (input: BodyInput) => Promise<Result>,
): Promise<Result> {
  const leave = await admission.enter(signal);
  return await withOwner(compute, (owner) =>
    read({ body: storeBytes(compute.arena, owner, bytes), owner }),
  ).finally(leave);
}

async function collected<Texts, Value>(
  arena: Arena,
  pieces: Values,
  valueOf: (texts: Texts) => Value,
): Promise<Value[]> {
  const all: Value[] = [];
  for (const texts of valuesIn<Texts>(arena, pieces)) {
    for (const each of texts) all.push(valueOf(each));
    await setImmediate();
  }
  return all;
}

function targetTexts({ controller, containers }: Target): TargetTexts {
  const texts = Array.from(containers, ([name, wanted]) => [name, wantedTexts(wanted)] as const);
  return { controller, containers: texts };
}

function targetOf({ controller, containers }: TargetTexts): Target {
  return {
    controller,
    containers: new Map(containers.map(([name, texts]) => [name, wantedOf(texts)])),
  };
}

function wantedTexts({ cpu, memory }: Wanted): WantedTexts {
  return { cpu: cpu?.toString() ?? null, memory: memory?.toString() ?? null };
}

function wantedOf({ cpu, memory }: WantedTexts): Wanted {
  return {
    cpu: cpu === null ? undefined : BigInt(cpu),
    memory: memory === null ? undefined : BigInt(memory),
  };
}

function repeated(name: string): Fault {
  return new Fault(`an object of the body has '${name.slice(0, 80)}' twice`, {
    parameter: name.slice(0, 80),
    hint: 'say each name of an object once: it is not plain which of them counts',
  });
}
