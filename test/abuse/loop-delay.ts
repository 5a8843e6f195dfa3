import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/*
 * Loaded by the service that is attacked: tells whoever asks for how many nanoseconds the event loop was held at most
 * since it was asked before.
 */

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
createServer((_request, response) => {
  response.end(String(delay.max));
  delay.reset();
})
  .listen(process.env['LOOP_DELAY_SOCKET'])
  .unref();
