import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { figuresAt } from '../metrics/figures.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/*
 * Changes of rights beside clocks that differ. Here the database has the clock of the machine. Where it is behind in life,
 * the provider is ahead here, in the dates of its answers and of its tokens, and so is the service: what each of them
 * sees of the others is the same.
 */

interface Off {
  /** Of the provider's tokens, in seconds. */
  readonly tokens: number;
  /** Of the provider's answers. */
  readonly dates: number;
  /** Of the service. */
  readonly service: number;
}

const SECONDS = [5, 90, 120, -5, -90, -120];
const CLOCKS: readonly (readonly [string, Off])[] = [
  ...SECONDS.map((s) => [`the provider’s by ${s} s`, { tokens: s, dates: s, service: 0 }] as const),
  ...[5, 90, -120].map((s) => [`Postgres’s by ${-s} s`, { tokens: s, dates: s, service: s }] as const),
  ...[120, -120].map((s) => [`the service’s by ${s} s`, { tokens: 0, dates: 0, service: s }] as const),
];
/** The machine that signs is another than the one that answers; those far ahead are refused until their time has come. */
const SIGNERS: readonly (readonly [string, Off])[] = [
  ...[5, 25, -5, -90, -120].map(
    (s) => [`of what signs the tokens by ${s} s`, { tokens: s, dates: 0, service: 0 }] as const,
  ),
  ...[5, 90, 120, -5, -25].map((s) => [`of what answers by ${s} s`, { tokens: 0, dates: s, service: 0 }] as const),
];

const base = await forSuite(startService());
const [own, other] = [(await base.tenant('Own')).clients, (await base.tenant('Other')).clients];

/** A service that has just started beside such clocks, and what it writes to its log. */
async function withClocks(
  off: Off,
  work: (service: Service, said: readonly Record<string, unknown>[]) => Promise<void>,
): Promise<void> {
  const said: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void said.push(JSON.parse(line) as Record<string, unknown>) });
  const { identity, postgres } = base;
  await base.admin('delete from app.provider_clock');
  identity.answerWith((_request, response) => {
    response.setHeader('Date', new Date(Date.now() + off.dates * 1000).toUTCString());
    response.end(JSON.stringify({ keys: identity.keys.map(({ jwk }) => jwk) }));
  });
  const clocks = { aheadMs: off.service * 1000 };
  const service = await startService({ log, metrics: {}, clocks, postgres, provider: identity });
  await work(service, said).finally(() => service.close());
}

/** A token as the provider issues it so many seconds from now. */
const issue = (off: Off, later: number, claims: Readonly<Record<string, unknown>>): Promise<string> => {
  const iat = Math.floor(Date.now() / 1000 + later + off.tokens);
  return base.identity.token({ ...claims, iat, nbf: iat, exp: iat + 3600 });
};

/** A client is withdrawn; the role is another; inactive and active again; a password is set. */
const CHANGES: readonly ((client: string) => readonly object[])[] = [
  (client) => [{ client_access: [client] }],
  () => [{ role: 'CLIENT' }],
  () => [{ is_active: false }, { is_active: true }],
  () => ['one', 'two'].map((one) => ({ password: `a long password, ${one}` })),
];

/** Two minutes pass for a user. */
async function twoMinutesLater(sub: string): Promise<void> {
  await base.admin(
    `update public.users
     set access_changed_at = access_changed_at - interval '2 minutes',
         sessions_ended_at = sessions_ended_at - interval '2 minutes'
     where id = $1`,
    [sub],
  );
  await base.admin(`update app.provider_clock set disproved_since = disproved_since - interval '2 minutes'`);
}

async function tryChange(service: Service, off: Off, bodies: readonly object[]): Promise<void> {
  const { subject } = await person(base, 'ADMIN');
  const chief = await issue(off, -1, { sub: subject, role: 'ADMIN' });
  const { subject: sub } = await person(base, 'TAX_SPECIALIST', [own, other]);
  const claims = { sub, role: 'TAX_SPECIALIST', client_access: [own, other] };
  const me = async (token: string) => (await service.ask('GET /api/users/me', { token })).status;
  const logIn = async (token: string) => (await service.ask('POST /api/auth/login', { body: { token } })).status;
  const stored = () => base.admin('select role, client_access, is_active from public.users where id = $1', [sub]);
  const old = await issue(off, -1, claims);
  expect([await logIn(old), await me(old)]).toEqual([200, 200]);

  for (const body of bodies)
    expect((await service.ask(`PUT /api/users/${sub}`, { token: chief, body })).status).toBe(200);
  const changed = await stored();
  expect([await me(old), await logIn(old)]).toEqual([401, 401]);
  expect(await stored()).toEqual(changed);

  // Where the offset is known, one of the next seconds is good; where it is not, one that is issued after two minutes.
  if (off.tokens !== off.dates) await twoMinutesLater(sub);
  const end = performance.now() + 20_000;
  let status = 0;
  do status = await me(await issue(off, 0, claims));
  while (status !== 200 && performance.now() < end);
  expect(status).toBe(200);
}

describe.each([...CLOCKS, ...SIGNERS])('where the clock that is off is %s,', (_what, off) => {
  test('a token from before a change of rights is refused after it, one from after it works, and the log says it', async () => {
    await withClocks(off, async (service, said) => {
      await Promise.all(CHANGES.map((bodies) => tryChange(service, off, bodies(own))));
      // A token may be old, so one that seems to be tells nothing.
      if (off.dates === 0 && off.tokens < 0) return;
      const expected = {
        provider: Math.abs(off.dates) > 0 ? off.dates : off.tokens,
        service: off.service,
      };
      const { subject: sub } = await person(base, 'ADMIN');
      const seen = async () => {
        // A request that took seconds hides a part of the difference: each answer and each new token shows it again.
        await service.ask('GET /api/users/me', { token: await issue(off, 0, { sub, role: 'ADMIN' }) });
        const figures = await figuresAt(service.metricsPort);
        return Object.entries(expected).map(([clock, seconds]) => ({
          clock,
          isMeasured: Math.abs((figures.get(`taxclaims_clock_ahead_seconds{clock="${clock}"}`) ?? NaN) - seconds) < 3,
          warnings: said.filter((line) => line['clock'] === clock && line['level'] === 40).length,
        }));
      };
      const wanted = Object.entries(expected).map(([clock, seconds]) => ({
        clock,
        isMeasured: true,
        warnings: seconds === 0 ? 0 : 1,
      }));
      const end = performance.now() + 20_000;
      let last = await seen();
      while (!isDeepStrictEqual(last, wanted) && performance.now() < end) last = await seen();
      expect(last).toEqual(wanted);
    });
  });
});
