export type { BlockMeta } from './blocks/block-meta.ts';
export { compareLabels } from './blocks/label-scan.ts';
export type { BlockRange, BlockSeries, LabelBytes, XorChunk } from './blocks/series.ts';
export { writeBlock } from './blocks/write-block.ts';
export { XorAppender } from './blocks/xor-appender.ts';
export { noOutcomes, receiverFamilies, type OutcomeCounts } from './families.ts';
export { openReceiver, type OpenReceiver, type ReceiverOptions } from './open-receiver.ts';
export type { Receiver, ReceiverFigures, WriteOutcome, WriteVersion } from './receiver.ts';
export { receiverRoutes, type ReceiverRouteOptions } from './routes.ts';
