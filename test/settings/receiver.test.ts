/** Settings of the receiver, and flags that need no value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../src/query/index.ts';
import { loadConfig, type Config } from '../../src/settings/config.ts';
import { receiverBytes, residentBytes } from '../../src/settings/memory-budget.ts';

const DAY_MS = 86_400_000;

const ROWS: readonly (readonly [name: keyof Config, flag: string, env: string, key: string, text: string, value: unknown])[] = [
  ['isReceiving', '--receive', 'RECEIVE', 'receive', 'true', true],
  ['outOfOrderMs', '--out-of-order', 'OUT_OF_ORDER', 'outOfOrder', '30d', 30 * DAY_MS],
  ['outOfOrderMs', '--out-of-order', 'OUT_OF_ORDER', 'outOfOrder', '0', 0],
  ['rawRetentionMs', '--raw-retention', 'RAW_RETENTION', 'rawRetention', '1d', DAY_MS],
  ['receiveSeries', '--receive-series', 'RECEIVE_SERIES', 'receiveSeries', '50000', 50_000],
  ['receiveRate', '--receive-rate', 'RECEIVE_RATE', 'receiveRate', '0', 0],
  ['receiveTokenFile', '--receive-token-file', 'RECEIVE_TOKEN_FILE', 'receiveTokenFile', '/t', '/t'],
]; // prettier-ignore

for (const [name, flag, variable, key, text, value] of ROWS)
  test(`${flag} ${text} is read alike from the flag, ${variable} and the file`, () => {
    assert.equal(loadConfig([`${flag}=${text}`], {}, () => '').config[name], value);
    assert.equal(loadConfig([], { [variable]: text }, () => '').config[name], value);
    const file = loadConfig(['--config=p.yaml'], {}, () => `${key}: ${text}`);
    assert.equal(file.config[name], value);
  });

const REFUSED: readonly (readonly [argv: readonly string[], env: Record<string, string>, message: RegExp, hint: RegExp])[] = [
  [['--receive', 'maybe'], {}, /^--receive: 'maybe' is not a boolean/, /true/],
  [['--out-of-order', '30s'], {}, /^--out-of-order: '30s' is not a duration of 1m/, /7d/],
  [['--raw-retention', '12h'], {}, /^--raw-retention: '12h' is not a duration of 1d/, /30d/],
  [['--receive-series', '9'], {}, /is not a whole number in 1000 to/, /500000/],
  [['--receive-rate', '-1'], {}, /^--receive-rate: '-1' is not/, /50000/],
  [['--receive-token', 'x'], {}, /^unknown flag: '--receive-token'/, /receive-token-file/],
  [[], { RECEIVE_TOKEN: 'short' }, /^RECEIVE_TOKEN: '\*\*\*' is not at least 16/, /…/],
]; // prettier-ignore

for (const [argv, env, message, hint] of REFUSED)
  test(`${[...argv, ...Object.keys(env)].join(' ')} is refused with what is accepted`, () => {
    assert.throws(() => loadConfig(argv, env, () => ''), { name: 'Fault', message, hint });
  });

const MIB = 2 ** 20;

test('P-M1: series that are received have their part of the memory limit, and the rest is divided', () => {
  const given = (...argv: string[]): Config =>
    loadConfig(['--receive', '--workers=1', ...argv], {}, () => '').config;
  const usual = given('--memory-limit=614Mi');
  assert.equal(usual.receiveSeries, 30_000);
  const few = given('--memory-limit=614Mi', '--receive-series=1000');
  for (const { receiveSeries, memory, memoryLimitBytes } of [usual, few]) {
    const sum = residentBytes(memory) + receiverBytes(receiveSeries);
    assert.ok(sum <= memoryLimitBytes && sum > 0.9 * memoryLimitBytes, `${sum / MIB}`);
  }
  assert.ok(few.memory.arenaBytes > usual.memory.arenaBytes);
  assert.throws(() => given('--memory-limit=614Mi', '--receive-series=1000000'), {
    name: 'Fault',
    message: /^1000000 series do not fit --memory-limit 614Mi, which holds \d+ beside one worker/,
  });
  assert.throws(() => given('--memory-limit=200Mi'), { message: /^1000 series do not fit/ });
});

test('a server whose memory does not hold its series starts with what the error suggests', () => {
  const started = (flags: readonly string[]): unknown => {
    try {
      return loadConfig(['--receive', '--workers=1', ...flags], {}, () => '').config;
    } catch (error) {
      return error;
    }
  };
  for (const limit of ['200Mi', '256Mi', '300Mi', '614Mi']) {
    const refused = started([`--memory-limit=${limit}`, '--receive-series=1000000']);
    assert.ok(refused instanceof Fault, limit);
    const [, memory = '', series] =
      /to (\d+Mi) \S+?(?:, or \S+ to (\d+) |$)/.exec(refused.hint ?? '') ?? [];
    const more = started([`--memory-limit=${memory}`, '--receive-series=1000000']);
    assert.ok(!(more instanceof Error), `${limit}: ${String(more)}`);
    if (series === undefined) continue;
    const fewer = started([`--memory-limit=${limit}`, `--receive-series=${series}`]);
    assert.ok(!(fewer instanceof Error), `${limit}: ${String(fewer)}`);
  }
});

test('a boolean flag without a value is true, and takes no other flag for its value', () => {
  const given = (...argv: string[]): Config => loadConfig(argv, {}, () => '').config;
  const several = given('--receive', '--data-dir', '/d', '--access-log', '--demo=false');
  assert.equal(several.isReceiving, true);
  assert.equal(several.dataDir, '/d');
  assert.equal(several.isAccessLogged, true);
  assert.equal(several.demo, false);
  assert.equal(given('--receive').isReceiving, true);
  assert.equal(given('--receive', 'false').isReceiving, false);
});
