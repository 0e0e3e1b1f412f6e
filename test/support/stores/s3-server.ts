/** Process of a scripted S3, which may be killed: `s3-server.ts FOLDER PORT`. Its bucket is `sets`. */
import { startCloud } from '../servers/scripted-cloud.ts';
import { DiskFiles } from './disk-files.ts';
import { s3Answer, s3Script } from './s3-script.ts';

const [folder = '', port = '0'] = process.argv.slice(2);
const script = { ...s3Script('sets'), pageKeys: 1000, files: new DiskFiles(folder) };
const cloud = await startCloud((request) => {
  // Nobody looks at them here, and they have the bodies.
  cloud.requests.length = 0;
  return s3Answer(script, request);
}, Number(port));
process.stdout.write(`${cloud.origin}\n`);
