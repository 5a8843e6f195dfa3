import { readdir, readFile } from 'node:fs/promises';

/** Stops a process and its descendants with SIGSTOP, and returns a function that continues the processes. */
export async function freeze(pid: number): Promise<() => void> {
  // The parent process is stopped before its children, because a running parent could start another child.
  const stopped = [pid];
  process.kill(pid, 'SIGSTOP');
  for (const parent of stopped) {
    for (const child of await childrenOf(parent)) {
      process.kill(child, 'SIGSTOP');
      stopped.push(child);
    }
  }
  return () => {
    for (const one of stopped) resume(one);
  };
}

/** Continues a stopped process, unless the process has ended. */
function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of (await readdir('/proc')).filter((one) => /^\d+$/.test(one))) {
    const text = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // In /proc/PID/stat, the name of the program stands in parentheses and may contain any character. The parent’s
    // process id is the second field after that name.
    if (Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === parent) children.push(Number(name));
  }
  return children;
}
