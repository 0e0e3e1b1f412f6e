/** The thread that decodes Parquet files, which may be damaged or made to do harm. */
import { answerParquet } from '../src/billing/focus/parquet.ts';
import { answerCalls } from '../src/pool/guarded-thread.ts';

answerCalls(answerParquet);
