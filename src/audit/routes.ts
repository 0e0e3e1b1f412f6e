/** `GET /audit/events`: the interface's cost audit query. */
import { json, paramsOf, withWarnings, type Route } from '../http/index.ts';
import { Fault } from '../query/index.ts';
import type { CostEvents } from './cost-events.ts';
import { readEventQuery } from './params.ts';

/** @param events undefined while the audit is switched off */
export function auditRoutes(events: CostEvents | undefined): Route[] {
  return [
    {
      method: 'GET',
      path: '/audit/events',
      needs: 'viewer',
      scoping: 'joined',
      handle(request) {
        if (events === undefined) throw switchedOff();
        const params = paramsOf(request);
        const query = readEventQuery(params);
        params.requireScoped();
        const data = events.list(query);
        return json({ code: 200, data, ...withWarnings(params.ignored()) });
      },
    },
  ];
}

function switchedOff(): Fault {
  return new Fault('the cost events audit is switched off: costEventsAudit.enabled is false', {
    status: 403,
    hint: 'start with --cost-events-audit true, or COST_EVENTS_AUDIT_ENABLED=true',
  });
}
