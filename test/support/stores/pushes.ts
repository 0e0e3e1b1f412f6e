/** External costs, pushed to a server as those who bill them do. */
import assert from 'node:assert/strict';
import type { BundleServer } from '../servers/bundle-server.ts';

/** What servers of tests are given as `--custom-cost-token-file`. */
export const PUSH_TOKEN = 'a-token-of-the-tests';

/** @param window start and end in RFC 3339, with a comma between */
export async function pushCosts(
  { url }: Pick<BundleServer, 'url'>,
  source: string,
  window: string,
  costs: readonly object[],
): Promise<void> {
  const answer = await fetch(`${url}/model/customCost?source=${source}&window=${window}`, {
    method: 'POST',
    body: costs.map((cost) => JSON.stringify(cost)).join('\n'),
    headers: { authorization: `Bearer ${PUSH_TOKEN}` },
  });
  assert.equal(answer.status, 200, await answer.text());
}
