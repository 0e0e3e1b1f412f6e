/** What of the memory limit a receiver takes, before the rest is divided. */
import { Fault } from '../query/index.ts';
import { receiverBytes, receiverSeries, receiverSeriesMax } from './memory-budget.ts';
import type { ReceiverSettings } from './receiver.ts';

const MIB = 2 ** 20;

export interface Received {
  readonly series: number;
  readonly bytes: number;
}

/** @throws {Fault} when the limit does not hold them beside one worker */
export function receivedMemory(
  { isReceiving, receiveSeries }: Pick<ReceiverSettings, 'isReceiving' | 'receiveSeries'>,
  limitBytes: number,
): Received {
  if (!isReceiving) return { series: receiveSeries, bytes: 0 };
  const series = receiveSeries === 0 ? receiverSeries(limitBytes) : receiveSeries;
  const most = receiverSeriesMax(limitBytes);
  if (series <= most) return { series, bytes: receiverBytes(series) };
  const limitMib = Math.floor(limitBytes / MIB);
  const neededMib = Math.ceil((limitBytes + receiverBytes(series) - receiverBytes(most)) / MIB);
  const fewer = most > 0 ? `, or --receive-series to ${most} (RECEIVE_SERIES)` : '';
  throw new Fault(
    `${series} series do not fit --memory-limit ${limitMib}Mi, which holds ${Math.max(0, most)} beside one worker`,
    {
      parameter: '--receive-series',
      hint: `set --memory-limit to ${neededMib}Mi (MEMORY_LIMIT)${fewer}`,
    },
  );
}
