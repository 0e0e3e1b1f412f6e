/** Requests of the examples of the document of the API. */
import { operationsOf } from './arbitraries/described-requests.ts';
import type { ApiParameter, DescribedApi } from './described-answers.ts';
import type { RecordedRequest } from './recorded-request.ts';

/**
 * Each reading operation with what it requires, and once with each parameter that no operation before has.
 * Ids are of a collection that recorded requests have made.
 */
export function examplesOf(api: DescribedApi): RecordedRequest[] {
  const seen = new Set<ApiParameter>();
  return operationsOf(api).flatMap(([method, path, operation]) => {
    if (method !== 'GET') return [];
    const parameters = api.parametersOf(operation);
    const required = parameters.filter((each) => each.required || isSubject(path, each));
    const fresh = parameters.filter(
      (each) => !required.includes(each) && (!seen.has(each) || isSubjectToo(path, each)),
    );
    for (const each of fresh) seen.add(each);
    const asked = [required, ...fresh.map((each) => [...without(required, each), each])];
    return asked.map((query): RecordedRequest => ({
      server: 'filled',
      method,
      path: `${path}?${query.map(pairOf).join('&')}`,
    }));
  });
}

/** A query of collections takes an id or a category. */
function isSubject(path: string, { name }: ApiParameter): boolean {
  return path.includes('/query/') && name === 'category';
}

/** What a query of collections reads depends on which of them it has. */
function isSubjectToo(path: string, { name }: ApiParameter): boolean {
  return path.includes('/query/') && name === 'id';
}

function without(required: readonly ApiParameter[], { name }: ApiParameter): ApiParameter[] {
  return required.filter((each) => !(name === 'id' && each.name === 'category'));
}

function pairOf({ name, example }: ApiParameter): string {
  return name === 'id' ? 'id={shop}' : `${name}=${encodeURIComponent(String(example))}`;
}
