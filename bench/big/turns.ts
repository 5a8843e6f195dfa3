/** Inside the service: its loop's longest turn in processor time, which nobody else's work lengthens. SIGUSR2 asks for it. */
import { renameSync, writeFileSync } from 'node:fs';

const file = process.env['BENCH_TURNS'] ?? '';
let longestMs = 0;
let last = process.threadCpuUsage();

// A timer comes at most once in each turn.
setInterval(() => {
  const now = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1_000);
  last = now;
}, 1).unref();

process.on('SIGUSR2', () => {
  writeFileSync(`${file}.new`, String(longestMs));
  renameSync(`${file}.new`, file);
  longestMs = 0;
});
