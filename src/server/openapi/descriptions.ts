/** How the server's own routes are described; and the descriptions of all rooms. */
import { ACCESS_API } from '../../access/index.ts';
import { ALLOCATION_API } from '../../allocation/index.ts';
import { ASSET_API } from '../../assets/index.ts';
import { AUDIT_API } from '../../audit/index.ts';
import { CLOUD_API } from '../../billing/cloud/index.ts';
import { EXTERNAL_API } from '../../billing/external/index.ts';
import { CLUSTER_SIZING_API } from '../../cluster-sizing/index.ts';
import { COLLECTION_API } from '../../collections/index.ts';
import {
  BOOLEAN,
  eachOf,
  envelope,
  flag,
  jsonOf,
  listOf,
  mapOf,
  NUMBER,
  objectOf,
  orNull,
  TEXT,
  type DescribedRoom,
  type Schema,
} from '../../http/index.ts';
import { INSTALLATION_API } from '../../installation/index.ts';
import { MCP_API } from '../../mcp/index.ts';
import { PAGE_API } from '../../page/index.ts';
import { PREDICTION_API } from '../../prediction/index.ts';
import { RECEIVER_API } from '../../receiver/index.ts';
import { REQUEST_SIZING_API } from '../../request-sizing/index.ts';
import { SAVINGS_API } from '../../savings/index.ts';
import { LOG_LEVELS } from '../../settings/operations.ts';

const FINDING: Schema = objectOf(
  {
    ...eachOf(['section', 'name', 'value', 'hint'], TEXT),
    state: { enum: ['ok', 'warning', 'bad'] },
  },
  ['hint'],
);
/** What those with a role are told, the later ones where it is asked for. */
const READY_DETAILS: Readonly<Record<string, Schema>> = {
  builder: { const: 'failing' },
  source: TEXT,
  backfill: objectOf({ done: NUMBER, total: NUMBER, failing: listOf(TEXT) }),
  bills: objectOf({ failing: listOf(TEXT) }),
  cluster: TEXT,
  costEventsAudit: mapOf(TEXT),
  folder: objectOf({ path: TEXT, readOnly: { const: true }, notes: listOf(TEXT) }, [
    'readOnly',
    'notes',
  ]),
  receiver: objectOf(
    {
      ...eachOf(['series', 'blocks'], NUMBER),
      ...eachOf(['oldestSample', 'newestSample'], orNull(TEXT)),
      failing: TEXT,
    },
    ['failing'],
  ),
};
const READY = objectOf({ ready: { const: true }, ...READY_DETAILS }, Object.keys(READY_DETAILS)); // prettier-ignore
const LEVEL = objectOf({ level: { enum: LOG_LEVELS } });

const SERVER_API: DescribedRoom = {
  routes: {
    'GET /openapi.json': { summary: 'This document', answers: jsonOf({ type: 'object' }) },
    'GET /healthz': {
      summary: 'Whether the process answers',
      answers: jsonOf(objectOf({ status: { const: 'ok' } })),
    },
    'GET /readyz': {
      summary: 'Whether it is to be asked',
      parameters: { verbose: flag('with details, for those with a role') },
      answers: jsonOf(READY),
      others: {
        503: objectOf(
          { ready: { const: false }, reason: TEXT, ...READY_DETAILS },
          Object.keys(READY_DETAILS),
        ),
      },
    },
    'GET /version': {
      summary: 'Versions, and the zone of days',
      answers: jsonOf(
        objectOf(eachOf(['version', 'allocationSchema', 'source', 'timezone', 'tzdata'], TEXT)),
      ),
    },
    'GET /metrics': {
      summary: 'Metrics of the server',
      answers: { 'text/plain; version=0.0.4; charset=utf-8': TEXT },
    },
    'GET /diagnostics': {
      summary: 'What the doctor found, by section',
      answers: envelope(objectOf({ passed: BOOLEAN, sections: mapOf(listOf(FINDING)) })),
    },
    'GET /admin/doctor': {
      summary: 'What the doctor found',
      answers: jsonOf(objectOf({ findings: listOf(FINDING) })),
    },
    'GET /admin/log-level': { summary: 'The level of the log', answers: jsonOf(LEVEL) },
    'PUT /admin/log-level': {
      summary: 'Changes the level of the log',
      body: { schema: LEVEL, example: { level: 'info' } },
      answers: jsonOf(LEVEL),
    },
  },
};

/** Every route is described by one of them. */
export const DESCRIBED_ROOMS: readonly DescribedRoom[] = [
  SERVER_API,
  PAGE_API,
  ACCESS_API,
  ALLOCATION_API,
  ASSET_API,
  AUDIT_API,
  CLOUD_API,
  EXTERNAL_API,
  COLLECTION_API,
  REQUEST_SIZING_API,
  CLUSTER_SIZING_API,
  SAVINGS_API,
  PREDICTION_API,
  INSTALLATION_API,
  RECEIVER_API,
  MCP_API,
];
