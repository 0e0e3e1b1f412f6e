import { BILL_NUMBERS, BILL_TEXTS } from '../focus/index.ts';

export { readBillKind, readPurpose, readSource, type Purpose } from './bill-key.ts';
export { openBills, type Arriving, type Bills, type BillSource, type Delivered } from './bills.ts';
export type { BillCompute } from './deliver.ts';
export { runFeeds, type BillFeed, type FeedOptions } from './feeds.ts';
export { createFolderFeed } from './folder-feed.ts';
export { createUrlFeed } from './url-feed.ts';
export { customCostStatusRoute, statusRoute } from './status-route.ts';
export type { BilledCost, BillTasks } from './tasks.ts';

/** Columns of a stored bill's rows; what no row has is left out. */
export const BILL_COLUMNS: {
  readonly texts: typeof BILL_TEXTS;
  readonly numbers: typeof BILL_NUMBERS;
} = { texts: BILL_TEXTS, numbers: BILL_NUMBERS };
