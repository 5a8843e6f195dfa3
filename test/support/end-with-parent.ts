/**
 * A test imports this module into another process. That process then ends as soon as the test’s process ends, even if
 * the test’s process is killed.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM'));
process.stdin.resume();
// The process listens to its standard input, which closes at the end of the test’s process. Listening alone must not
// keep the process alive.
if ('unref' in process.stdin && typeof process.stdin.unref === 'function') process.stdin.unref();
