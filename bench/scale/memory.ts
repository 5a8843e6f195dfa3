import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Returns the bytes of private memory of each process, page tables included, which is what one more such process costs
 * the machine.
 */
export function ownMemory(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => {
    const own = kilobytes(`/proc/${pid}/smaps_rollup`, /^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
    return 1_024 * (own + kilobytes(`/proc/${pid}/status`, /^VmPTE:\s+(\d+) kB$/gm));
  });
}

function kilobytes(file: string, line: RegExp): number {
  return [...readFileSync(file, 'utf8').matchAll(line)].reduce((sum, [, amount]) => sum + Number(amount), 0);
}

/** Returns the bytes of resident memory of a process, including the memory that the process shares with others. */
export function residentMemory(pid: number): number {
  return 1_024 * kilobytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/gm);
}

/** Returns the largest resident memory of a process since its start or since `forgetPeak`, in bytes. */
export function peakMemory(pid: number): number {
  return 1_024 * kilobytes(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB$/gm);
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
