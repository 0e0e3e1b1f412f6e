/** A certificate of the kubelets of a plan, which is its own authority. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireService } from '../servers/services.ts';
import { kubeletAddress } from './kubelets.ts';

export interface KubeletTls {
  readonly cert: string;
  readonly key: string;
  /** Where the certificate is. */
  readonly caFile: string;
}

export function kubeletTls(home: string, nodes: number): KubeletTls {
  const [caFile, keyFile] = [join(home, 'kubelet.crt'), join(home, 'kubelet.key')];
  const addresses = Array.from({ length: nodes }, (_, index) => `IP:${kubeletAddress(index)}`);
  const names = ['-subj', '/CN=kubelets', '-addext', `subjectAltName=${addresses.join(',')}`];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const args = ['req', '-x509', ...newKey, '-keyout', keyFile, '-out', caFile, ...names];
  execFileSync(requireService('openssl') ?? '', args, { stdio: 'ignore' });
  return { cert: readFileSync(caFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), caFile };
}
