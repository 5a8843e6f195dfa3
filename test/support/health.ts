import type { Answer } from './http.ts';
import type { Service } from './service.ts';
import { until } from './upload.ts';

/**
 * Sends GET /health until the response has the given status, because the service repeats an earlier result for up to a
 * second.
 */
export async function healthOnce(
  service: Pick<Service, 'ask'>,
  status: 200 | 503,
  line = 'GET /health',
): Promise<Answer> {
  let answer = await service.ask(line);
  await until(async () => {
    answer = await service.ask(line);
    return answer.status === status;
  });
  return answer;
}
