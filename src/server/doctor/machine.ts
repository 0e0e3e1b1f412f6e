/** Versions, memory and limits of the process. */
import { availableParallelism, release, totalmem } from 'node:os';
import type { Config } from '../../settings/config.ts';
import { descriptorLimit } from '../health/process-state.ts';
import { readCertificate, tlsFilesOf } from '../tls-files.ts';
import { found, foundThat, type Found } from './findings.ts';

/** Connections, files of sets and reads of the store at once take fewer. */
const DESCRIPTORS_MIN = 1024;
const DAY_MS = 86_400_000;
/** Other versions of Node are not tested. */
const TESTED_MAJORS: readonly number[] = [20, 22, 24, 26];

export function versions(version: string): Found[] {
  const { node, v8, openssl, uv } = process.versions;
  const [major = 0] = node.split('.').map(Number);
  const isTested = TESTED_MAJORS.includes(major);
  return [
    found('prorata', version),
    foundThat(
      'Node',
      node,
      isTested ? 'ok' : 'warning',
      'prorata is tested with Node 20.20, 22, 24 and 26',
    ),
    found('V8, OpenSSL, libuv', `${v8}, ${openssl}, ${uv}`),
    found('system', `${process.platform} ${release()} ${process.arch}`),
  ];
}

export function limits({ memory, memoryLimitBytes, workers }: Config): Found[] {
  const constrainedBytes = process.constrainedMemory() || Infinity;
  const hereBytes = Math.min(constrainedBytes, totalmem());
  const descriptors = descriptorLimit();
  return [
    foundThat(
      'memory limit',
      mib(memoryLimitBytes),
      memoryLimitBytes > hereBytes ? 'bad' : 'ok',
      `there are ${mib(hereBytes)}: the system will end the process before it reaches its limit`,
    ),
    found('memory there is', mib(hereBytes)),
    found('columns may take', mib(memory.arenaBytes)),
    found('workers', workers),
    found('cores', availableParallelism()),
    foundThat(
      'open files may be',
      descriptors,
      descriptors < DESCRIPTORS_MIN ? 'warning' : 'ok',
      `raise it to ${DESCRIPTORS_MIN} at least: ulimit -n, LimitNOFILE`,
    ),
  ];
}

/** @returns nothing for plain HTTP */
export function certificate(config: Config, nowMs: number): Found[] {
  if (tlsFilesOf(config) === undefined) return [];
  try {
    const files = tlsFilesOf(config);
    if (files === undefined) return [];
    const { subject, notAfterMs } = readCertificate(files);
    const days = Math.floor((notAfterMs - nowMs) / DAY_MS);
    const state = days < 0 ? 'bad' : days < 14 ? 'warning' : 'ok';
    const ends = `${new Date(notAfterMs).toISOString()}, in ${days} days`;
    return [
      found('subject', subject),
      foundThat('ends', ends, state, 'put a newer pair in its place: it is read by itself'),
    ];
  } catch (error) {
    return [foundThat('certificate', String(error), 'bad', 'the last good one is served')];
  }
}

function mib(bytes: number): string {
  return bytes === Infinity ? 'unlimited' : `${Math.floor(bytes / 2 ** 20)} MiB`;
}
