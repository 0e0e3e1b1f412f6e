/** Servers of one store in a bucket, each a process of its own, as users run them. */
import { startCloud, type CloudRequest, type ScriptedCloud } from './scripted-cloud.ts';
import { startServerProcess, type ServerProcess } from './server-process.ts';
import { failed, s3Answer, s3Script, s3Variables, type S3Script } from '../stores/s3-script.ts';

export interface Replicas {
  readonly script: S3Script;
  readonly cloud: ScriptedCloud;
  /** Requests that the bucket answers with 503. */
  isFailing: (request: CloudRequest) => boolean;
  start(flags: readonly string[]): Promise<ServerProcess>;
  stop(): Promise<void>;
}

/** @param common flags of all of them */
export async function startReplicas(common: readonly string[]): Promise<Replicas> {
  const script = { ...s3Script('sets'), pageKeys: 1000 };
  const state: Pick<Replicas, 'isFailing'> = { isFailing: () => false };
  const cloud = await startCloud((request) =>
    state.isFailing(request) ? failed(503, 'SlowDown') : s3Answer(script, request),
  );
  const env = s3Variables(cloud.origin);
  const started: ServerProcess[] = [];
  return Object.assign(state, {
    script,
    cloud,
    async start(flags: readonly string[]) {
      const store = ['--store=s3://sets/costs', '--workers=1', ...common];
      const server = await startServerProcess([...store, ...flags], { env });
      started.push(server);
      return server;
    },
    async stop() {
      await Promise.all(started.map((server) => server.stop()));
      cloud.close();
    },
  });
}

/** Asks again until the answer is as wanted. @throws what it was at last */
export async function until<Answer>(
  ms: number,
  ask: () => Promise<Answer>,
  isWanted: (answer: Answer) => boolean,
): Promise<{ readonly answer: Answer; readonly tookMs: number }> {
  const beganMs = performance.now();
  for (;;) {
    const answer = await ask().catch((error: unknown) => error as Answer);
    const tookMs = performance.now() - beganMs;
    if (!(answer instanceof Error) && isWanted(answer)) return { answer, tookMs };
    if (tookMs > ms)
      throw new Error(`not within ${ms} ms: ${JSON.stringify(answer)?.slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
