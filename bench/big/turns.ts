/**
 * A benchmark loads this file into the service. On each signal SIGUSR2, the file reports the most processor time that
 * one turn of the event loop has used. Other processes do not change this time.
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
