/** Processor time of processes on this machine, as Linux counts it. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

/** Milliseconds that the processes have spent on a processor, all threads together; one that has ended counts 0. */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ofProcess(pid), 0);
}

/** The processes of Postgres that work for a login; on another machine than this, none of ours bears their ids. */
export async function backendsOf(admin: Client, login: string): Promise<readonly number[]> {
  const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity where usename = $1', [login]);
  return rows.map(({ pid }) => pid).filter(isBackend);
}

/** /proc/…/stat counts in hundredths of a second, too coarse for a statement; schedstat in nanoseconds. */
function ofProcess(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
      .reduce((sum, text) => sum + Number(text.split(' ', 1).join()) / 1e6, 0);
  } catch {
    return 0;
  }
}

/** Whether a process of this machine with that id is one of Postgres. */
export function isBackend(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres:');
  } catch {
    return false;
  }
}
