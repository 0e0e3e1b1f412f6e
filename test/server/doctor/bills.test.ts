/** What the doctor says of bills in buckets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bills } from '../../../src/server/doctor/bills.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { startCloud } from '../../support/servers/scripted-cloud.ts';
import { failed, s3Answer, s3Script } from '../../support/stores/s3-script.ts';

test('S-13: the doctor tells of each bucket whether it can be listed, and no key', async () => {
  const script = s3Script('exports');
  for (const month of ['2024-08', '2024-09'])
    script.files.set(`a/${month}/bill.csv`, { content: 'x', etag: `"${month}"` });
  const cloud = await startCloud((request) =>
    request.url.searchParams.get('prefix') === 'denied/'
      ? failed(403, 'AccessDenied')
      : s3Answer(script, request),
  );
  const variables = {
    BILL_URL:
      'cloud/fine=s3://exports/a cloud/empty=s3://exports/b cloud/denied=s3://exports/denied',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'sEcReT/key+1',
    AWS_ENDPOINT_URL: cloud.origin,
  };
  const findings = await bills(loadConfig([], variables, () => '').config);
  cloud.close();
  assert.deepEqual(
    findings.map(({ name, value, state }) => [name, state, value]),
    [
      ['cloud/fine', 'ok', '2 deliveries'],
      ['cloud/empty', 'warning', '0 deliveries'],
      [
        'cloud/denied',
        'bad',
        'cannot read s3://exports/denied/: 403 AccessDenied: the access key of AWS_ACCESS_KEY_ID needs s3:ListBucket on arn:aws:s3:::exports',
      ],
    ],
  );
  assert.equal(findings[2]?.hint, 'see docs/install/bills-from-buckets.md');
  assert.doesNotMatch(JSON.stringify(findings), /sEcReT|QUOTED/);
  assert.deepEqual(await bills(loadConfig([], {}, () => '').config), []);
});
