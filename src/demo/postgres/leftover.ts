import { readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { LEFTOVER_POSTGRES_POLL_MS, LEFTOVER_POSTGRES_STOP_TIMEOUT_MS } from '../../limits.ts';
import { readSystemErrorCode } from '../../system-error.ts';
import type { Cluster } from './cluster.ts';
import { runProgram } from './command.ts';
import { doesServerAnswer, superuserUrl } from './connect.ts';

/** Stops the Postgres that a killed service left running. Needs the lock. @throws Error if Postgres does not stop */
export async function stopLeftoverServer(cluster: Cluster, log: Logger): Promise<void> {
  const text = await readFile(pidFilePath(cluster), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const [pid = '', , , port = ''] = text.split('\n');
  const isRunning = (): Promise<boolean> => isServerOfCluster(pid, Number(port), cluster);
  for (const mode of ['fast', 'immediate']) {
    if (!(await isRunning())) break;
    log.warn({ pid, mode }, 'stopping the embedded Postgres of an earlier start that was killed');
    const command = [cluster.binaries.pgCtl, 'stop', `--pgdata=${cluster.data}`, `--mode=${mode}`, '--no-wait'];
    // `--no-wait` keeps pg_ctl from waiting for a zombie process; pg_ctl fails if the server has already ended.
    await runProgram(command, cluster.account).catch(() => undefined);
    const deadlineMs = Date.now() + LEFTOVER_POSTGRES_STOP_TIMEOUT_MS;
    while (Date.now() < deadlineMs && (await isRunning())) await delay(LEFTOVER_POSTGRES_POLL_MS);
  }
  if (await isRunning()) {
    throw new Error(`An earlier embedded Postgres, process ${pid}, does not stop: end it, then start again.`);
  }
  await removePidFile(cluster);
}

export async function removePidFile(cluster: Cluster): Promise<void> {
  await rm(pidFilePath(cluster), { force: true });
}

function pidFilePath({ data }: Cluster): string {
  return join(data, 'postmaster.pid');
}

/** True if the process with this pid is the server of the cluster; by now another program may have the same pid. */
async function isServerOfCluster(pid: string, port: number, cluster: Cluster): Promise<boolean> {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (readSystemErrorCode(error) === 'ESRCH') return false;
  }
  // From start to stop, a Postgres server's working directory is its cluster's folder; a zombie process has none.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === cluster.data;
  const command = await runProgram(['ps', '-ww', '-o', 'command=', '-p', pid]).catch(() => '');
  if (command.includes(`-D ${cluster.data} `)) return true;
  return doesServerAnswer(superuserUrl(port, cluster.password, 'postgres'), cluster.data);
}
