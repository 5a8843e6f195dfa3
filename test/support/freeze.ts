import { readdir, readFile } from 'node:fs/promises';

/** Stops a process and all that it has started, as a frozen machine would; gives what lets them go on. */
export async function freeze(pid: number): Promise<() => void> {
  // Its parent first, which could start another meanwhile.
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

/** One that has ended needs no resuming. */
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
    // The program's name stands in parentheses and may hold anything; the second field behind it is the parent.
    if (Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === parent) children.push(Number(name));
  }
  return children;
}
