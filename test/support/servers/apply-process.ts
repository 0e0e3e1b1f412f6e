/**
 * Applies a plan in a process of its own, so that it can be killed: the API's URL, the place of the journal, the plan.
 * It loads no more than that takes, as it is started many times.
 */
import { createClusterApi, httpTransport } from '../../../src/cluster/index.ts';
import { Journal } from '../../../src/request-sizing/apply/journal.ts';
import { readTargets } from '../../../src/request-sizing/apply/plan-body.ts';
import { ApplyRunner } from '../../../src/request-sizing/apply/apply-runner.ts';
import { logsAt } from './apply-logs.ts';
import { CLUSTER, planOptions } from './sizing-cluster.ts';

const [url = '', place = '', plan = ''] = process.argv.slice(2);
const server = new URL(url);
const credentials = { server, headers: {}, tls: {}, proxyAgent: undefined };
const config = { server, credentials: () => Promise.resolve(credentials) };
const api = createClusterApi(httpTransport(config, () => Promise.resolve(config)));
const runner = new ApplyRunner({
  ...planOptions(api),
  journal: new Journal(logsAt(place), Date.now),
  nowMs: Date.now,
  note: () => undefined,
  controllersPerSecond: Infinity,
});
const targets = readTargets(JSON.parse(plan), CLUSTER);
const run = await runner.apply(targets, new AbortController().signal);
process.stdout.write(JSON.stringify(await run.result));
api.close();
