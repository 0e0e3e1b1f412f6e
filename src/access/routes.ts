/** GET /whoami: who the server takes its caller for. */
import { json, type Route } from '../http/index.ts';

export function accessRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/whoami',
      needs: 'viewer',
      scoping: 'unneeded',
      handle({ caller: { name, roles, filter, seesIdle, expiresMs, isSignedIn, csrfToken } }) {
        const expires = expiresMs === null ? null : new Date(expiresMs).toISOString();
        const idle = filter === null ? undefined : seesIdle === true;
        const data = { name, roles, filter, idle, expires, isSignedIn, csrfToken };
        return json({ code: 200, data });
      },
    },
  ];
}
