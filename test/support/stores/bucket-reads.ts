/** What a bucket has, and how it refuses. */
import assert from 'node:assert/strict';
import type { Bucket } from '../../../src/buckets/index.ts';

export async function listed(bucket: Bucket, prefix: string): Promise<string[]> {
  const { objects } = await bucket.list(prefix, () => true, AbortSignal.timeout(30_000));
  return objects.map(({ key }) => key);
}

/** The message of an error that has no secrets, neither there nor in its stack. */
export async function refusalOf(work: Promise<unknown>, secrets: RegExp): Promise<string> {
  const error: unknown = await work.then(
    () => assert.fail('it is not refused'),
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof Error);
  assert.doesNotMatch(`${error.message} ${error.stack}`, secrets);
  return error.message;
}
