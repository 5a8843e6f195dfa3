/** Reads the processor time of processes on this machine from Linux. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Client } from 'pg';

/**
 * Returns the milliseconds of processor time of the given processes with all their threads. An ended process counts 0.
 */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ofProcess(pid), 0);
}

/**
 * Returns the ids of the Postgres processes that work for a login, or none if Postgres runs on another machine.
 */
export async function backendsOf(admin: Client, login: string): Promise<readonly number[]> {
  const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity where usename = $1', [login]);
  return rows.map(({ pid }) => pid).filter(isBackend);
}

/**
 * Reads /proc/…/schedstat, which counts nanoseconds, because the hundredths of a second in /proc/…/stat are too coarse
 * for an SQL statement.
 */
function ofProcess(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'))
      .reduce((sum, text) => sum + Number(text.split(' ', 1).join()) / 1e6, 0);
  } catch {
    return 0;
  }
}

export function isBackend(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('postgres:');
  } catch {
    return false;
  }
}
