import LightRunner from 'jest-light-runner/child-process';
import Tinypool from 'tinypool';

/*
 * `jest-light-runner` 0.8.2 answers the first worker that asks for its configuration by telling all workers. A worker
 * that was not listening yet would wait forever, so this runner answers each worker’s question to that worker alone.
 */
const { run } = Tinypool.prototype;
Tinypool.prototype.run = function (path, { channel } = {}) {
  if (channel === undefined) return run.call(this, path);
  let answer;
  const own = {
    onMessage: (listener) => (answer = listener),
    postMessage: (message) => {
      channel.onMessage(answer);
      channel.postMessage(message);
    },
  };
  return run.call(this, path, { channel: own });
};

export default LightRunner;
