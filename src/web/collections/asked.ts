/** What the view asks the API, and how it changes collections. */
import { reload, useLoaded, type Shown } from '../answers.ts';
import { ApiError, ask, pathOf, send, sendFor, type Answer } from '../api.ts';
import { useEffect, useState } from '../preact.ts';
import { bodyOf, type Collection, type Draft } from './draft.ts';
import type { CategoryCost, CostObject } from './overlap.ts';

const ROOT = 'model/collections';
/** Overlaps of more collections are refused. */
export const OVERLAPPING_MAX = 12;

export function collectionsPath(): string {
  return ROOT;
}

interface Reported<Data> {
  readonly data: Data;
  readonly warnings?: readonly string[];
  readonly partial?: boolean;
}

/** What a category costs; collections without one are asked for one by one. */
export function useCategoryCost(
  category: string,
  members: readonly Collection[],
  window: string,
): Shown<Answer<CategoryCost>> {
  const isOne = category !== '';
  const parts = members.length > OVERLAPPING_MAX ? 'collections' : 'overlaps';
  const path = pathOf(`${ROOT}/query/total`, { category, window, [parts]: true });
  const ids = members.map(({ id }) => id).join();
  const key = members.length === 0 ? undefined : `${path} ${ids}`;
  return useLoaded(key, async (abort) => {
    if (isOne) return dataIn(await ask<Reported<CategoryCost>>(path, abort));
    const each = await Promise.all(
      members.map(async ({ id, name }) => {
        const own = pathOf(`${ROOT}/query/total`, { id, window });
        const answer = dataIn(await ask<Reported<{ readonly cost: CostObject }>>(own, abort));
        return { answer, member: { id, name, cost: answer.data.cost } };
      }),
    );
    const answers = each.map(({ answer }) => answer);
    return {
      data: { collections: each.map(({ member }) => member) },
      warnings: [...new Set(answers.flatMap(({ warnings }) => warnings))],
      isPartial: answers.some(({ isPartial }) => isPartial),
      message: '',
      nodeCosts: {},
      atMs: Date.now(),
    };
  });
}

interface Outside {
  readonly data: { readonly cost: CostObject };
}

/** What is in none of a category's collections. */
export function useOutside(category: string, window: string): Shown<Answer<Outside>> {
  const path = pathOf(`${ROOT}/query/complement`, { category, window });
  return useLoaded(category === '' ? undefined : path, (abort) => ask<Outside>(path, abort));
}

/** Bodies of these answers have no envelope: their data stand beside what is to be known. */
function dataIn<Data>(answer: Answer<Reported<Data>>): Answer<Data> {
  const { data, partial = false } = answer.data;
  return { ...answer, data, isPartial: partial };
}

/** A collection, and the tag that tells whether it is still the same. */
export interface Tagged {
  readonly collection: Collection;
  readonly tag: string;
}

/** @param id undefined: nothing is asked */
export function useCollection(id: string | undefined): Shown<Tagged> {
  const path = pathOf(ROOT, { id });
  return useLoaded(id === undefined ? undefined : path, async () => {
    const [{ data }, tag] = await sendFor<Collection>('GET', path, undefined, 'etag');
    return { collection: data, tag };
  });
}

/** @param before undefined: it is new @throws {ApiError} 412 where somebody else has changed it */
export async function save(before: Tagged | undefined, draft: Draft): Promise<Tagged> {
  const path = before === undefined ? ROOT : pathOf(ROOT, { id: before.collection.id });
  const method = before === undefined ? 'POST' : 'PUT';
  const more: Readonly<Record<string, string>> =
    before === undefined ? {} : { 'if-match': before.tag };
  const [{ data }, tag] = await sendFor<Collection>(method, path, bodyOf(draft), 'etag', more);
  reload();
  return { collection: data, tag };
}

/** @throws {ApiError} 412 where somebody else has changed it */
export async function remove({ collection: { id }, tag }: Tagged): Promise<void> {
  await sendFor('DELETE', pathOf(ROOT, { id }), undefined, '', { 'if-match': tag });
  reload();
}

export interface DraftCost {
  readonly cost: CostObject;
  readonly groups: readonly { readonly cost: CostObject }[];
}

export interface DraftShown {
  readonly answer: DraftCost | undefined;
  readonly error: ApiError | undefined;
  readonly isLoading: boolean;
}

const WAIT_MS = 350;
const NO_COST: CostObject = { totalCost: 0, domainCosts: {} };

/** What the draft would cost: asked when nothing was typed for a moment. */
export function useDraftCost(draft: Draft, window: string): DraftShown {
  const [shown, show] = useState<DraftShown>({
    answer: undefined,
    error: undefined,
    isLoading: true,
  });
  const body = JSON.stringify({ ...bodyOf(draft), name: 'draft', category: '' });
  const path = pathOf(`${ROOT}/query/total`, { window, groups: true });
  useEffect(() => {
    let isOld = false;
    show(({ answer, error }) => ({ answer, error, isLoading: true }));
    if (draft.lines.length === 0) {
      show({ answer: { cost: NO_COST, groups: [] }, error: undefined, isLoading: false });
      return;
    }
    const wait = setTimeout(() => {
      send<Reported<DraftCost>>('POST', path, JSON.parse(body)).then(
        ({ data }) => {
          if (!isOld) show({ answer: data.data, error: undefined, isLoading: false });
        },
        (thrown: unknown) => {
          const error = errorFrom(thrown);
          if (!isOld) show(({ answer }) => ({ answer, error, isLoading: false }));
        },
      );
    }, WAIT_MS);
    return () => {
      isOld = true;
      clearTimeout(wait);
    };
  }, [body, path]);
  return shown;
}

export function errorFrom(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : new ApiError(0, String(thrown));
}
