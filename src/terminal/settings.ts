import { readFileSync } from 'node:fs';
import { loadConfig, type Loaded } from '../settings/config.ts';

/** The configuration of this process. @throws {Fault} as `loadConfig` does */
export function loadSettings(argv: readonly string[]): Loaded {
  return loadConfig(argv, process.env, (path) => readFileSync(path, 'utf8'));
}
