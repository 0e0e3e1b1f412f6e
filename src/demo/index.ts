export { changePreviews, DEMO_CLUSTER, demoCluster } from './cluster.ts';
export { createDemo, DEMO_SEED, type DemoOptions } from './store.ts';
export { simulatedTransport, type SimulatedApiOptions } from './simulated-api.ts';
export { SimulatedStore, type SimulatedObject } from './simulated-store.ts';
