/** The API of a simulated cluster for tests of plans and applies, in their own process. */
import { createClusterApi, type ClusterApi, type Transport } from '../../../src/cluster/index.ts';
import {
  type SimulatedApiOptions,
  type SimulatedStore,
  simulatedTransport,
} from '../../../src/demo/index.ts';
import { isGranted, rightFor, SHIPPED, textOf } from '../cluster-rights.ts';

/** Quick: neither pauses nor a limit of calls. What no shipped Role permits is a failure. */
export function quickApi(store: SimulatedStore, options?: SimulatedApiOptions): ClusterApi {
  const transport = simulatedTransport(store, options);
  const send: Transport['send'] = (call, signal) => {
    const right = rightFor(call);
    if (!isGranted(SHIPPED, right)) throw new Error(`no Role permits to ${textOf(right)}`);
    return transport.send(call, signal);
  };
  return createClusterApi(
    { ...transport, send },
    {
      callsPerSecond: Infinity,
      pause: () => Promise.resolve(),
    },
  );
}
