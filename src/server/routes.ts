/** Routes that belong to no capability: health, readiness, version. */
import {
  bytes,
  hasRole,
  json,
  paramsOf,
  type HttpReply,
  type AdmittedRequest,
  type Route,
} from '../http/index.ts';
import { Fault, hideSecrets } from '../query/index.ts';
import { pageRoutes } from '../page/index.ts';

export interface About {
  readonly version: string;
  readonly allocationSchema: string;
  readonly source: string;
  readonly timezone: string;
  /** The version of the tz database, which says where days of the zone begin. */
  readonly tzdata: string;
}

export interface Readiness {
  /** Why requests are better sent to other servers; undefined if the server is ready. */
  readonly notReady: () => string | undefined;
  /** A day could not be built when it was last tried. */
  readonly isBuilderFailing: () => boolean;
  /** Progress of the stored sets, with details where they are known. */
  readonly details: () => object;
}

const INDEX = `prorata: what Kubernetes workloads cost. Browsers get the page here, and always at /ui

GET /model/allocation?window=7d&aggregate=namespace            costs of stored days
GET /model/allocation/summary?window=7d&aggregate=namespace    the same, in short
GET /model/allocation/compute?window=24h&aggregate=namespace   costs, computed now from raw samples
GET /model/cloudCost?window=month&aggregate=service            costs of the cloud's bill
GET /model/customCost/total?window=month&aggregate=domain      costs of external services
GET /model/savings/clusterSizingETL?window=2d                  nodes that hold your pods for the least
GET /model/savings/requestSizingV2?window=7d                   requests that fit what containers used
GET /model/assets?window=7d&aggregate=type                     what there was to pay for
GET /model/collections                                         collections of rows, and what they cost
GET /model/audit/events                                        workloads that came or went, and what they cost
POST /model/prediction/speccost                                what manifests will cost
POST /cluster/requestsizer/plan, then /apply                   what is recommended, done in the cluster
GET /healthz   GET /readyz?verbose   GET /version   GET /metrics   GET /whoami

Try: curl 'http://127.0.0.1:9003/model/allocation/compute?window=24h&aggregate=namespace'
`;

export function ownRoutes(about: About, readiness: Readiness): Route[] {
  return [
    ...pageRoutes(INDEX),
    {
      method: 'GET',
      path: '/healthz',
      needs: 'nobody',
      scoping: 'unneeded',
      handle: () => json({ status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      needs: 'nobody',
      scoping: 'unneeded',
      handle: (request) => ready(about, readiness, request),
    },
    {
      method: 'GET',
      path: '/version',
      needs: 'viewer',
      scoping: 'unneeded',
      handle: () => json(about),
    },
  ];
}

function ready(
  { source }: About,
  { notReady, isBuilderFailing, details }: Readiness,
  request: AdmittedRequest,
): HttpReply {
  const { caller } = request;
  const reason = notReady();
  const answer = reason === undefined ? { ready: true } : { ready: false, reason };
  // Days that are stored are still answered: restarts, or traffic to other replicas, would not help.
  const builder = isBuilderFailing() ? { builder: 'failing' } : {};
  const state = { ...answer, ...builder };
  const status = reason === undefined ? 200 : 503;
  const isVerbose = paramsOf(request).has('verbose');
  if (!hasRole(caller, 'viewer') || caller.filter !== null) {
    if (isVerbose) throw detailsNeedRole();
    return json(state, status);
  }
  const more = isVerbose ? details() : {};
  // Failures name the URLs that failed.
  const text = hideSecrets(JSON.stringify({ ...state, source, ...more }));
  return { ...bytes('application/json', text), status };
}

function detailsNeedRole(): Fault {
  return new Fault('details of readiness need the role viewer, without a filter', {
    status: 403,
    parameter: 'verbose',
    hint: 'ask without verbose, or send Authorization: Bearer TOKEN',
  });
}
