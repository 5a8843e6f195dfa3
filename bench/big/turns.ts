/**
 * The service process imports this file. On each SIGUSR2 the file reports the longest turn of the event loop in
 * processor time, which other processes do not lengthen.
 */
import { renameSync, writeFileSync } from 'node:fs';

const file = process.env['BENCH_TURNS'] ?? '';
let longestMs = 0;
let last = process.threadCpuUsage();

// A timer runs at most once in each turn of the event loop.
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
