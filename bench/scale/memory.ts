import { readFileSync, writeFileSync } from 'node:fs';

/** Bytes that each process has for itself, page tables included: what one more of them takes from the machine. */
export function ownMemory(pids: readonly number[]): readonly number[] {
  return pids.map((pid) => {
    const own = kilobytes(`/proc/${pid}/smaps_rollup`, /^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
    return 1_024 * (own + kilobytes(`/proc/${pid}/status`, /^VmPTE:\s+(\d+) kB$/gm));
  });
}

function kilobytes(file: string, line: RegExp): number {
  return [...readFileSync(file, 'utf8').matchAll(line)].reduce((sum, [, amount]) => sum + Number(amount), 0);
}

/** Bytes of memory that a process has now, with what it shares with others. */
export function residentMemory(pid: number): number {
  return 1_024 * kilobytes(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/gm);
}

/** The most that it has had since it started, or since `forgetPeak`. */
export function peakMemory(pid: number): number {
  return 1_024 * kilobytes(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB$/gm);
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}
