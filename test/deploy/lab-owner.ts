import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEtcd } from '../../deploy/lab/etcd.ts';
import { createLabFolder } from '../../deploy/lab/reaper.ts';
import { mountSmallDisk } from '../faults/small-disk.ts';

/**
 * Starts a program, for example Redis, in a new lab folder, mounts a small disk if root runs this script, prints the
 * folder, and waits to be killed.
 */
const { path } = await createLabFolder();
await startEtcd({ dir: join(path, 'etcd') });
await mkdir(join(path, 'disk'));
if (process.getuid?.() === 0) await mountSmallDisk(join(path, 'disk'));
console.log(path);
process.stdin.resume();
