import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';
import { RequestError } from '../errors.ts';
import type { Role } from '../identity/caller.ts';
import { isLoopback } from '../identity/loopback.ts';
import { sendReply } from './envelope.ts';
import { stateOf } from './request-state.ts';

/** Whom the page of /docs lets one be with a click. */
export interface Person {
  readonly role: Role;
  readonly name: string;
  readonly clientAccess: readonly string[];
  token(): Promise<string>;
}

/** What a proxy adds: whoever asks through one may sit anywhere. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'];

export function mountPeople(app: Express, people: readonly Person[]): void {
  app.get('/docs/people.json', async (request, response) => {
    const offered = whyNotHere(request) === undefined ? people : [];
    const body = offered.map(({ role, name, clientAccess }) => ({
      role,
      name,
      clients: clientAccess.length,
    }));
    await sendReply(response, { status: 200, body: JSON.stringify(body) });
  });
  for (const person of people) {
    app.post(`/docs/people/${person.role}`, async (request, response) => {
      stateOf(request).resource = 'users';
      const reason = whyNotHere(request) ?? whyNotOwnPage(request);
      if (reason !== undefined) throw new RequestError('ERROR_FORBIDDEN', reason, { kind: 'docs_page' });
      await sendReply(response, { status: 200, body: JSON.stringify({ token: await person.token() }) });
    });
  }
}

/** A page of elsewhere may have let its own name lead here (DNS rebinding): it would be of the same origin then. */
function whyNotHere({ headers }: IncomingMessage): string | undefined {
  if (!isLoopback((headers.host ?? '').replace(/:\d+$/, '')))
    return 'a demonstration by a name from elsewhere';
  return OF_PROXIES.some((name) => name in headers) ? 'a demonstration through a proxy' : undefined;
}

/** Every browser says with a POST of which page it is, and no page can say so for another. */
function whyNotOwnPage({ headers }: IncomingMessage): string | undefined {
  return headers.origin === `http://${headers.host ?? ''}` ? undefined : 'a demonstration from another page';
}
