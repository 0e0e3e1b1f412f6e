/** The thread of the receiver, which holds the samples that were sent. */
import { runThread } from '../src/receiver/ingest/thread.ts';

await runThread();
