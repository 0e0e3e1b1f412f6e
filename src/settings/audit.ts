/** Settings of the cost events audit, which is off by default. */
import { readBoolean } from '../query/index.ts';
import type { Rows } from './settings.ts';

export interface AuditSettings {
  /** Whether changes of workloads are watched. */
  readonly isCostEventsAudit: boolean;
  /** Whether cost events outlive the process; needs a data folder. */
  readonly keepsCostEvents: boolean;
}

const ACCEPTED = 'a boolean: true, t, 1, false, f or 0';

export const AUDIT_SETTINGS: Rows<AuditSettings> = {
  isCostEventsAudit: {
    key: 'costEventsAudit.enabled',
    flag: 'cost-events-audit',
    env: 'COST_EVENTS_AUDIT_ENABLED',
    help: 'whether deployments and stateful sets are watched, and each change makes a cost event',
    accepted: ACCEPTED,
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
  keepsCostEvents: {
    key: 'costEventsAudit.persist',
    flag: 'cost-events-persist',
    env: 'COST_EVENTS_AUDIT_PERSIST',
    help: 'whether cost events are stored in the data folder across restarts; in a bucket they are always',
    accepted: ACCEPTED,
    example: 'true',
    fallback: () => false,
    read: readBoolean,
  },
};
