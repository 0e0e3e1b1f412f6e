/** The thread that reads blocks of a bucket or a folder. */
import { runThread } from '../src/blocks/thread/run-thread.ts';

runThread();
