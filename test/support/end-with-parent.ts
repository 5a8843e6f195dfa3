/** A test imports this module into a process, which then ends together with the test’s process, even a killed one. */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// The process listens to its standard input, which closes at the end of the test’s process. Listening alone must not
// keep the process alive.
if ('unref' in process.stdin && typeof process.stdin.unref === 'function') process.stdin.unref();
