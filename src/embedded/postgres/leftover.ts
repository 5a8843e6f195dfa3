import { readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { codeOf } from '../../system-error.ts';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { run } from './command.ts';
import { answers, superuserUrl } from './connect.ts';
import { EMBEDDED_LEFTOVER_LOOK_MS, EMBEDDED_LEFTOVER_MS } from '../../limits.ts';

const MODES = ['fast', 'immediate'];

/**
 * Stops a server that a killed start left running on the cluster, and removes a pid file that names nobody.
 * Only for the holder of the lock: to anyone else, a running server is somebody's.
 * @throws Error when the server cannot be stopped.
 */
export async function clearLeftover(
  cluster: Cluster,
  binaries: Binaries,
  account: Account,
  log: Logger,
): Promise<void> {
  const text = await readFile(pidFileOf(cluster), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const [pid = '', , , port = ''] = text.split('\n');
  for (const mode of MODES) {
    if (!(await serves(pid, Number(port), cluster))) break;
    log.warn({ pid, mode }, 'stopping the embedded Postgres of an earlier start that was killed');
    const stop = [binaries.pgCtl, 'stop', `--pgdata=${cluster.data}`, `--mode=${mode}`];
    // Not waiting for pg_ctl, which takes a zombie for a server; and failing, it only came too late.
    await run([...stop, '--no-wait'], { prefix: account.prefix }).catch(() => undefined);
    await untilGone(() => serves(pid, Number(port), cluster));
  }
  if (await serves(pid, Number(port), cluster)) {
    throw new Error(`An earlier embedded Postgres, process ${pid}, does not stop: end it, then start again.`);
  }
  await forgetServer(cluster);
}

/**
 * Removes the pid file of a server that is known to have ended. Should processes of the cluster live all the same,
 * Postgres finds their shared memory and does not start.
 */
export async function forgetServer(cluster: Cluster): Promise<void> {
  await rm(pidFileOf(cluster), { force: true });
}

function pidFileOf({ data }: Cluster): string {
  return join(data, 'postmaster.pid');
}

/** A pid may since have passed to a stranger, so that a process has it is not believed; that none has it is. */
async function serves(pid: string, port: number, cluster: Cluster): Promise<boolean> {
  if (!isTaken(Number(pid))) return false;
  // Its working folder tells a server also while it starts or stops; a zombie has none.
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === cluster.data;
  // Where there is no /proc, its command does.
  const command = await run(['ps', '-ww', '-o', 'command=', '-p', pid]).catch(() => '');
  if (command.includes(`-D ${cluster.data} `)) return true;
  return answers(superuserUrl(port, cluster.password, 'postgres'), cluster.data);
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

async function untilGone(isThere: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + EMBEDDED_LEFTOVER_MS;
  while (Date.now() < deadline && (await isThere())) await delay(EMBEDDED_LEFTOVER_LOOK_MS);
}
