import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../support/http.ts';
import type { Violation } from './account.ts';
import type { World } from './world.ts';

export const SERVES = 'the service answers requests after the fault';

/**
 * Checks that the service answers requests after a failure. The service must still be the same process, unless the
 * failure was meant to end it.
 */
export async function serving(
  world: World,
  { pid, endsService }: { readonly pid: number; readonly endsService: boolean },
): Promise<Violation[]> {
  const { service, people } = world;
  const token = people[0]?.token ?? '';
  const asked = async (line: string): Promise<string[]> => {
    const answer = await ask(service.port, line, { token }).catch((error: unknown) => String(error));
    if (typeof answer === 'string') return [`${line}: ${answer}`];
    return answer.status === 200 ? [] : [`${line} is answered ${answer.status}: ${answer.text}`];
  };
  const details = [...(await asked('GET /health')), ...(await asked('GET /api/clients')), ...(await lastLogins(world))];
  if (!endsService && (service.pid !== pid || !service.isRunning)) {
    details.push('the process that answered before the fault has ended');
  }
  return details.map((detail) => ({ check: SERVES, detail }));
}

/** The time in which the service must accept the provider’s new signing key again; it asks for unknown keys every 30 s. */
const KEYS_MS = 45_000;

/**
 * Checks that every active user can log in with the stored rights, and that no other user can log in. Asks again while
 * the service does not accept the provider’s new signing key yet.
 */
async function lastLogins(world: World): Promise<string[]> {
  const end = Date.now() + KEYS_MS;
  let wrong = await wrongLogins(world);
  while (wrong.length > 0 && Date.now() < end) {
    await delay(500);
    wrong = await wrongLogins(world);
  }
  return wrong;
}

async function wrongLogins({ parts, service, admin }: World): Promise<string[]> {
  const { members, logins } = parts.rights;
  const found = await Promise.all(
    members.map(async ({ id, subject }) => {
      const [stored] = await admin('select is_active from public.users where id = $1', [id]);
      const answer = await fetch(`${logins}/${encodeURIComponent(subject)}`);
      const token = answer.status === 200 ? ((await answer.json()) as { token: string }).token : undefined;
      const asked = token && (await ask(service.port, 'GET /api/clients', { token }).catch(() => undefined));
      const expected = stored?.['is_active'] === true ? 200 : undefined;
      const status = typeof asked === 'object' ? asked.status : undefined;
      return status === expected ? [] : [`the last login of ${subject} is answered ${String(status)}`];
    }),
  );
  return found.flat();
}
