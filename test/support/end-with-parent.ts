/** Imported before a program of a test: ends it with whoever started it, also where that one was killed. */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// Alone, it must not keep the program alive.
if ('unref' in process.stdin && typeof process.stdin.unref === 'function') process.stdin.unref();
