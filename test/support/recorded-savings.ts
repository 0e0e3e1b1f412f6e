/** Recorded requests of savings: their overview, and recommendations of workloads, disks, nodes and quotas. */
import { DAYS, get, gets, tries, type RecordedRequest } from './recorded-request.ts';

const DISKS = ['unclaimedVolumes', 'persistentVolumeSizing', 'localLowDisks'];
const GROUPS = '/model/savings/nodeGroupSizing/recommendations';
const QUOTAS = '/model/savings/resourceQuotaSizing/recommendations';
const ABANDONED = '/model/savings/abandonedWorkloads';

export const SAVINGS_REQUESTS: readonly RecordedRequest[] = [
  ...gets('/model/savings', ['', `?${DAYS}`, '?window=soon', '?windows=2d']),
  get('/savings', { server: 'empty' }),
  ...gets(ABANDONED, ['', '?days=1&threshold=100000&limit=3', '?threshold=20000&filterNamespaces=web', '?threshold=20000&filter=controllerKind:"daemonset"&offset=1']),
  ...tries(`${ABANDONED}?`, [['days', '', '0'], ['threshold', '0', '-1'], ['limit', '', 'x'], ['filter', '', 'shop:a']]),
  get('/savings/abandonedWorkloads', { server: 'empty' }),
  ...DISKS.flatMap((name) => gets(`/model/savings/${name}`, ['', `?${DAYS}&filterClusters=production`, '?window=soon', '?filterTypes=Dusk'])),
  ...DISKS.map((name) => get(`/savings/${name}`, { server: 'empty' })),
  ...gets('/model/savings/persistentVolumeSizing?', ['headroom=0.1', 'headroom=-1']),
  ...gets('/model/savings/localLowDisks?', ['threshold=0.1', 'threshold=0.5&headroom=1', 'threshold=2']),
  ...gets(GROUPS, ['', `?${DAYS}&targetUtilization=.8`, '?minNodeCount=0', '?architecture=ARM']),
  get('/savings/nodeGroupSizing/recommendations', { server: 'empty' }),
  ...gets(QUOTAS, ['', `?${DAYS}&targetUtilization=1`, '?targetUtilization=0', '?window=soon']),
  get('/savings/resourceQuotaSizing/recommendations', { server: 'empty' }),
]; // prettier-ignore
