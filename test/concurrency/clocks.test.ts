import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { figuresAt } from '../metrics/figures.ts';
import { startService } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { forSuite } from '../support/suite.ts';
import { person } from '../support/people.ts';

/*
 * These tests change users’ rights while the clocks of the identity provider, the service and Postgres differ. Postgres
 * always has the clock of this machine. In tests where Postgres’s clock is slow, the clocks of the provider and the
 * service are ahead instead.
 */

/** How many seconds each of the tested clocks is ahead of Postgres’s clock. */
interface Off {
  /** How many seconds the clock that dates the identity provider’s tokens is ahead of Postgres’s clock. */
  readonly tokens: number;
  /** How many seconds the clock that dates the identity provider’s HTTP responses is ahead of Postgres’s clock. */
  readonly dates: number;
  readonly service: number;
}

const CLOCKS: readonly { readonly clockIsWrong: string; readonly off: Off }[] = [
  ...[5, 90, 120, -5, -90, -120].map((s) => ({
    clockIsWrong: `the provider’s clock is ${s} s ahead`,
    off: { tokens: s, dates: s, service: 0 },
  })),
  ...[5, 90, -120].map((s) => ({
    clockIsWrong: `Postgres’s clock is ${-s} s ahead`,
    off: { tokens: s, dates: s, service: s },
  })),
  ...[120, -120].map((s) => ({
    clockIsWrong: `the service’s clock is ${s} s ahead`,
    off: { tokens: 0, dates: 0, service: s },
  })),
  // The clocks that sign tokens are at most 25 s ahead here, because the service refuses a token that is dated further
  // in the future.
  ...[5, 25, -5, -90, -120].map((s) => ({
    clockIsWrong: `the clock of the machine that signs the provider’s tokens is ${s} s ahead`,
    off: { tokens: s, dates: 0, service: 0 },
  })),
  ...[5, 90, 120, -5, -25].map((s) => ({
    clockIsWrong: `the clock of the machine that answers for the provider is ${s} s ahead`,
    off: { tokens: 0, dates: s, service: 0 },
  })),
];

const base = await forSuite(startService());
const [own, other] = [(await base.tenant('Own')).clients, (await base.tenant('Other')).clients];

/** Runs `work` with a new service under the given clocks, and with the lines of the service’s log. */
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

/** Returns a token that the identity provider issues `later` seconds from now. */
const issue = (off: Off, later: number, claims: Readonly<Record<string, unknown>>): Promise<string> => {
  const iat = Math.floor(Date.now() / 1000 + later + off.tokens);
  return base.identity.token({ ...claims, iat, nbf: iat, exp: iat + 3600 });
};

const CHANGES: readonly (readonly object[])[] = [
  [{ client_access: [own] }],
  [{ role: 'CLIENT' }],
  [{ is_active: false }, { is_active: true }],
  [{ password: 'a long password, one' }, { password: 'a long password, two' }],
];

/**
 * Dates a user’s change of rights two minutes earlier, and also the last measurement of the identity provider’s clock.
 */
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

  // If the provider’s tokens and its responses are dated by the same wrong clock, the service knows the error of this
  // clock and accepts a token that is issued now. Otherwise the service accepts only a token that is issued two minutes
  // after the change of rights.
  if (off.tokens !== off.dates) await twoMinutesLater(sub);
  const end = performance.now() + 20_000;
  let status = 0;
  do status = await me(await issue(off, 0, claims));
  while (status !== 200 && performance.now() < end);
  expect(status).toBe(200);
}

test.each(CLOCKS)(
  'if $clockIsWrong, the service refuses tokens from before a change of rights, accepts later tokens, and logs the clock’s error',
  async ({ off }) => {
    await withClocks(off, async (service, said) => {
      await Promise.all(CHANGES.map((bodies) => tryChange(service, off, bodies)));
      // The service cannot tell a token of a slow clock from an old token, so it does not log the error of such a
      // clock.
      if (off.dates === 0 && off.tokens < 0) return;
      const expected = { provider: off.dates === 0 ? off.tokens : off.dates, service: off.service };
      const { subject: sub } = await person(base, 'ADMIN');
      const seen = async () => {
        // If a response of the identity provider is slow, the service measures only a part of the error of the
        // provider’s clock. The next response and the next new token show the whole error.
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
  },
);
