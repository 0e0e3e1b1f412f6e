/** The other thread of the frame test: doubles a column of the frame at the given address. */
import { workerData } from 'node:worker_threads';
import { Arena, Frame } from '../../../src/columnar/index.ts';

const { memory, address } = workerData as { memory: Arena['memory']; address: number };
const costs = new Frame(new Arena(memory), address).f64('costUsd');
costs.forEach((cost, row) => (costs[row] = cost * 2));
