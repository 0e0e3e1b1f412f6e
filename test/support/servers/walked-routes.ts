/** All routes of a server as a walk asks them: who is meant to get where. */
import type { Needed } from '../../../src/http/index.ts';
import type { OwnServer } from './own-server.ts';

export type Headers = Readonly<Record<string, string>>;

export interface ErrorBody {
  readonly code?: number;
  readonly message?: string;
  readonly parameter?: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: globalThis.Headers;
  readonly text: string;
  readonly body: ErrorBody;
}

/** A body that no route takes goes with every method that may have one. */
export async function walkTo(
  url: string,
  method: string,
  path: string,
  headers: Headers,
): Promise<Answered> {
  const hasBody = !['GET', 'HEAD', 'OPTIONS'].includes(method);
  const reply = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: '?' } : {}),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type') === 'application/json' && text !== '';
  const body = isJson ? (JSON.parse(text) as ErrorBody) : {};
  return { status: reply.status, headers: reply.headers, text, body };
}

/** All that is served, under both spellings, and what is not. */
export function everything(
  served: OwnServer['routes'],
): (readonly [method: string, path: string, needs: Needed])[] {
  const routes = served.flatMap(({ method, path, needs }) => {
    const bare = path.replace(/^\/model(?=\/)/, '');
    const methods: string[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    return methods.flatMap((each) => [
      [each, bare, needs] as const,
      [each, `/model${bare}`, needs] as const,
    ]);
  });
  const paths = [...new Set(served.map(({ path, needs }) => `${needs} ${path}`))];
  const others = paths.flatMap((each) => {
    const [needs = '', path = ''] = each.split(' ');
    const needed: Needed = needs === 'nobody' ? 'nobody' : 'viewer';
    return [['OPTIONS', path, needed] as const, ['PATCH', path, needed] as const];
  });
  const unknown = [
    '/none',
    '/metrics',
    '/index.html',
    '/model/none',
    '/healthz/',
    '//',
    '/model/model/allocation',
  ];
  return [
    ...routes,
    ...others,
    ...unknown.flatMap((path) => ['GET', 'POST', 'OPTIONS'].map((method) => [method, path, 'viewer'] as const)),
  ]; // prettier-ignore
}
