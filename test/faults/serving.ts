import { ask } from '../support/http.ts';
import type { Violation } from './account.ts';
import type { World } from './world.ts';

export const SERVES = 'the service serves in the end';

/** In the end the service serves, and it is the same process, unless the fault was to end it. */
export async function serving(
  { service, people }: World,
  { pid, endsService }: { readonly pid: number; readonly endsService: boolean },
): Promise<Violation[]> {
  const token = people[0]?.token ?? '';
  const asked = async (line: string): Promise<string[]> => {
    const answer = await ask(service.port, line, { token }).catch((error: unknown) => String(error));
    if (typeof answer === 'string') return [`${line}: ${answer}`];
    return answer.status === 200 ? [] : [`${line} is answered ${answer.status}: ${answer.text}`];
  };
  const details = [...(await asked('GET /health')), ...(await asked('GET /api/clients'))];
  if (!endsService && (service.pid !== pid || !service.isRunning)) {
    details.push('the process that served before has ended');
  }
  return details.map((detail) => ({ check: SERVES, detail }));
}
