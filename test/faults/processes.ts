import { readdir, readFile, readlink } from 'node:fs/promises';

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

/**
 * Sends a signal to a process first, and then to its child processes, so that the process cannot start further children
 * meanwhile. Children of the children are ignored, because Postgres has none.
 */
export async function signalTree(pid: number, signal: NodeJS.Signals): Promise<void> {
  sendTo(pid, signal);
  for (const child of await childrenOf(pid)) sendTo(child, signal);
}

/** Kills a process, and also its child processes if asked to, and returns the ids of the child processes. */
export async function killTree(pid: number, whom: 'root alone' | 'all'): Promise<number[]> {
  const children = await childrenOf(pid);
  sendTo(pid, 'SIGKILL');
  if (whom === 'all') for (const child of children) sendTo(child, 'SIGKILL');
  return children;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Sends a signal to a process. A process that has already ended is no error. */
export function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

export async function gaugesOf(pid: number): Promise<{ rssMb: number; files: number; sockets: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  const names = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  const sockets = targets.filter((target) => target.startsWith('socket:')).length;
  return { rssMb: Math.round(Number(kilobytes) / 1024), files: names.length, sockets };
}

/**
 * Returns the ids of the processes that work in the given folder or below it. All processes of a Postgres server work
 * in the server’s data folder.
 */
export async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, index) => `${folders[index] ?? ''}/`.startsWith(`${folder}/`)).map(Number);
}
