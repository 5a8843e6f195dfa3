import { join } from 'node:path';
import { startEtcd } from '../../deploy/lab/etcd.ts';
import { createLabFolder } from '../../deploy/lab/reaper.ts';

/** Starts a part in a folder of the lab, prints the folder, and waits to be killed. */
const { path } = await createLabFolder();
await startEtcd({ dir: join(path, 'etcd') });
console.log(path);
process.stdin.resume();
