/** Which callers get past which routes, as the walk over all routes expects it. */
/** Routes that are open to all: any other needs a role. */
export const OPEN: readonly string[] = [
  'GET /healthz',
  'GET /readyz',
  'GET /',
  ...['', '/page.js', '/page.css', '/icon.svg'].map((name) => `GET /ui${name}`),
];
/** Each role may do what the routes before it need. */
export const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  editor: [
    ...['/collections', '/collection'].flatMap((path) => [
      `POST ${path}`,
      `PUT ${path}`,
      `DELETE ${path}`,
      `PUT ${path}/configs`,
      `POST ${path}/configs`,
    ]),
    'POST /customCost',
    'POST /api/v1/write',
  ],
  operator: ['plan', 'planV2', 'apply', 'undo'].map((name) => `POST /cluster/requestsizer/${name}`),
  admin: ['GET /diagnostics', 'GET /admin/doctor', 'GET /admin/log-level', 'PUT /admin/log-level'],
};

/** Routes that cannot tell apart what a caller with a filter may see. */
export const UNSCOPED: readonly string[] = [
  'GET /metrics',
  'GET /savings/clusterSizingETL',
  ...[
    '',
    '/unclaimedVolumes',
    '/persistentVolumeSizing',
    '/localLowDisks',
    '/resourceQuotaSizing/recommendations',
    '/nodeGroupSizing/recommendations',
  ].map((path) => `GET /savings${path}`),
  'GET /cloudCost/status',
  'GET /customCost/status',
  'POST /customCost',
  'POST /api/v1/write',
  'GET /cluster/requestsizer/applies',
  'GET /admin/doctor',
  'GET /diagnostics',
  ...[
    'clusterInfoMap',
    'allNodePricing',
    'pricingSourceSummary',
    'pricingSourceCounts',
    'pricingSourceStatus',
  ].map((name) => `GET /${name}`),
  'GET /admin/log-level',
  'PUT /admin/log-level',
  ...(EXPECTED['operator'] ?? []),
  ...['/collections', '/collection'].flatMap((path) => [
    ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => `${method} ${path}`),
    ...['GET', 'PUT', 'POST'].map((method) => `${method} ${path}/configs`),
    ...['total', 'timeseries', 'complement', 'complement/cloud', 'complement/kubernetes'].map(
      (query) => `GET ${path}/query/${query}`,
    ),
  ]),
];
