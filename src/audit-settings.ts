/** Settings of the cost events audit: off unless it is switched on. */
import { readBoolean } from './query/index.ts';
import type { Rows } from './settings.ts';

export interface AuditSettings {
  /** Whether changes of workloads are watched. */
  readonly isCostEventsAudit: boolean;
  /** Whether their events outlive the process; needs a data folder. */
  readonly keepsCostEvents: boolean;
}

const ACCEPTED = 'a boolean: true, t, 1, false, f or 0';

export const AUDIT_SETTINGS: Rows<AuditSettings> = {
  isCostEventsAudit: {
    key: 'costEventsAudit.enabled',
    flag: 'cost-events-audit',
    env: 'COST_EVENTS_AUDIT_ENABLED',
    help: 'whether deployments and stateful sets are watched, and what they cost is told',
    accepted: ACCEPTED,
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  keepsCostEvents: {
    key: 'costEventsAudit.persist',
    flag: 'cost-events-persist',
    env: 'COST_EVENTS_AUDIT_PERSIST',
    help: 'whether cost events are kept in the data folder across restarts',
    accepted: ACCEPTED,
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
};
