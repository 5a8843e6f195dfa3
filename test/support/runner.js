import LightRunner from 'jest-light-runner/child-process';
import Tinypool from 'tinypool';

/*
 * `jest-light-runner` 0.8.2 answers the first worker that asks for its configuration by telling all of them. One that was
 * not listening yet would ask in vain, and wait for ever: so each question is answered to its worker alone.
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
