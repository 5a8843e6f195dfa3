import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { openDatabase } from '../../../src/db/database.ts';
import type { Database } from '../../../src/db/database.ts';
import type { Statement } from '../../../src/db/statement.ts';
import { accountsOn } from '../../../src/embedded/provider/accounts.ts';
import type { Accounts } from '../../../src/embedded/provider/accounts.ts';
import { hashWithSalt } from '../../../src/identity/password.ts';
import { waitIn } from '../../../src/embedded/provider/texts.ts';
import { beginLogin, openBrowser } from '../../support/login.ts';
import { openProviderWorld } from '../../support/provider.ts';
import type { ProviderWorld } from '../../support/provider.ts';

let world: ProviderWorld;
let accounts: Accounts;

beforeAll(async () => {
  world = await openProviderWorld({ trustProxy: 1 });
  accounts = accountsOn(world.database);
});
afterAll(() => world.close());

let others = 0;
/** An address that nobody has asked from before. */
const newAddress = (): string => {
  others += 1;
  return `198.51.${String(Math.floor(others / 250))}.${String(others % 250)}`;
};

const attempt = (email: string, ipAddress: string) => ({
  ...{ email, ipAddress, userAgent: 'a browser', requestId: 'a request' },
});

/** One whole attempt, with the one hash that each costs. */
async function tried(
  email: string,
  password: string,
  ipAddress: string,
  by: Accounts = accounts,
): Promise<'in' | 'refused' | { readonly waitSeconds: number }> {
  const begun = await by.begin(attempt(email, ipAddress));
  if ('waitSeconds' in begun) return begun;
  const done = await by.finish(attempt(email, ipAddress), await hashWithSalt(password, begun.salt));
  return done === undefined ? 'refused' : 'in';
}

/** As if so much time had passed since every attempt. */
const pass = (interval: string): Promise<unknown> =>
  world.admin('update app.login_attempts set since = since - $1::interval', [interval]);

const records = (text: string): Promise<Record<string, unknown>[]> =>
  world.admin(`select actor, user_id, success, error_message, ip_address::text as address, user_agent
    from public.audit_logs where action = 'identity.login' and ${text} order by created_at`);

describe('guesses at a password', () => {
  test('end after ten from one address, whether anybody has the email or not', async () => {
    const { email, password } = await world.person();
    for (const who of [email, 'nobody-at-all@firm.example']) {
      const from = newAddress();
      const outcomes = [];
      for (let guess = 0; guess < 11; guess += 1) outcomes.push(await tried(who, 'a wrong guess', from));
      expect(outcomes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 'refused'));
      expect(outcomes[10]).toEqual({ waitSeconds: expect.any(Number) });
      // The right one is not told from a wrong one then, nor is that its own user's name in other letters.
      expect(await tried(who.toUpperCase(), password, from)).toEqual({ waitSeconds: expect.any(Number) });
      await pass('15 minutes');
      expect(await tried(who, 'a wrong guess', from)).toBe('refused');
    }
  });

  test('count where they are tried: whoever is turned away for too many at once has tried nothing', async () => {
    const begun = await beginLogin(openBrowser(world.provider.issuer));
    await world.admin('delete from app.login_attempts');
    const from = { 'x-forwarded-for': newAddress() };
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        begun.submit(`nobody-${String(index)}@firm.example`, 'a guess', from),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([403, 503]));
    const [{ failures } = {}] = await world.admin(
      `select failures from app.login_attempts where scope = 'address'`,
    );
    expect(failures).toBe(statuses.filter((status) => status === 403).length);
  });

  test('that are made at once count each', async () => {
    const { email } = await world.person();
    const from = newAddress();
    const outcomes = await Promise.all(
      Array.from({ length: 15 }, () => accounts.begin(attempt(email, from))),
    );
    expect(outcomes.filter((outcome) => 'salt' in outcome)).toHaveLength(10);
  });

  test('at many accounts end after fifty from one address, and its whole network over IPv6', async () => {
    for (const place of [newAddress(), '2001:db8:1:2:']) {
      const waits = [];
      for (let guess = 0; guess < 51; guess += 1) {
        const from = place.endsWith(':') ? `${place}:${guess.toString(16)}` : place;
        waits.push(await accounts.begin(attempt(`somebody-${String(guess)}@firm.example`, from)));
      }
      expect(waits.filter((wait) => 'salt' in wait)).toHaveLength(50);
    }
    expect(await accounts.begin(attempt('somebody@firm.example', '2001:db8:1:3::1'))).toHaveProperty('salt');
  });

  test('at one account from everywhere end after a hundred, and do not keep its user out where they were before', async () => {
    const { email, password } = await world.person();
    const home = newAddress();
    expect(await tried(email, password, home)).toBe('in');
    let last;
    for (let guess = 0; guess < 101; guess += 1) last = await accounts.begin(attempt(email, newAddress()));
    expect(last).toEqual({ waitSeconds: expect.any(Number) });
    expect(await tried(email, password, newAddress())).toHaveProperty('waitSeconds');
    expect(await tried(email, password, home)).toBe('in');
    await pass('1 hour');
    expect(await tried(email, password, newAddress())).toBe('in');
  });

  test('count over a restart, and in every instance', async () => {
    const { email, password } = await world.person();
    const from = newAddress();
    for (let guess = 0; guess < 10; guess += 1) await tried(email, 'a wrong guess', from);
    const { url } = { url: world.postgres.adminUrl };
    const other = openDatabase({
      ...{ url, poolSize: 1, statementTimeoutMs: 5_000, preparedStatements: true },
      log: pino({ level: 'silent' }),
    });
    try {
      expect(await tried(email, password, from, accountsOn(other))).toHaveProperty('waitSeconds');
    } finally {
      await other.close();
    }
  });

  test('are told to wait by the page, which says how long', async () => {
    const { email, password } = await world.person();
    const { issuer } = world.provider;
    const from = { 'x-forwarded-for': newAddress() };
    const begun = await beginLogin(openBrowser(issuer));
    const statuses = [];
    for (let guess = 0; guess < 10; guess += 1)
      statuses.push((await begun.submit(email, 'a wrong guess', from)).status);
    expect(new Set(statuses)).toEqual(new Set([403]));
    const late = await begun.submit(email, password, from);
    expect([late.status, late.left]).toEqual([429, undefined]);
    const waitSeconds = Number(late.headers.get('retry-after'));
    expect(waitSeconds).toBeGreaterThan(0);
    expect(late.text).toContain(`Try again in ${waitIn('en', waitSeconds)}.`);
    const elsewhere = await begun.submit(email, password, { 'x-forwarded-for': newAddress() });
    expect(elsewhere.left).toContain('code=');
  });

  test('that succeed do not count', async () => {
    const { email, password } = await world.person();
    const from = newAddress();
    for (let login = 0; login < 12; login += 1) expect(await tried(email, password, from)).toBe('in');
  });
});

describe('the record of a login', () => {
  test('says who and from where, of success and of refusal', async () => {
    const { id, email, password } = await world.person({ subject: 'idp|recorded' });
    const from = newAddress();
    await tried(email, 'a wrong guess', from);
    await tried(email, password, from);
    const record = { actor: 'idp|recorded', user_id: id, address: `${from}/32`, user_agent: 'a browser' };
    expect(await records(`user_id = '${id}'`)).toEqual([
      { ...record, success: false, error_message: 'no active user has this email and password' },
      { ...record, success: true, error_message: null },
    ]);
  });

  test('holds nothing of what was typed where nobody has the email: it may be a password', async () => {
    const from = newAddress();
    await tried('Correct-Horse-9', 'Battery-Staple-9', from);
    const found = await records(`ip_address = '${from}'`);
    expect(found).toEqual([expect.objectContaining({ actor: 'anonymous', user_id: null, success: false })]);
    const [{ all = '' } = {}] = await world.admin(
      `select (select string_agg(a::text, ' ') from public.audit_logs as a)
           || (select string_agg(t::text, ' ') from app.login_attempts as t) as all`,
    );
    expect(all).not.toMatch(/Correct-Horse|Battery-Staple|correct-horse/);
  });

  test('is left by each refusal for too many attempts', async () => {
    const { id, email } = await world.person();
    const from = newAddress();
    for (let guess = 0; guess < 12; guess += 1) await accounts.begin(attempt(email, from));
    const refusals = await records(`user_id = '${id}'`);
    expect(refusals.map((each) => each['error_message'])).toEqual([
      'too many attempts to log in',
      'too many attempts to log in',
    ]);
  });
});

describe('nobody learns whether there is a user', () => {
  const FORM = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{21}[.Oeu]$/;
  const saltOf = async (email: string): Promise<string> => {
    const begun = await accounts.begin(attempt(email, newAddress()));
    return 'salt' in begun ? begun.salt : '';
  };

  test('by the salt, which is there for everybody, always the same, and of the same cost', async () => {
    const { email } = await world.person({
      password_hash: `$2b$12$abcdefghijklmnopqrstuu${'x'.repeat(31)}`,
    });
    const inactive = await world.person({ is_active: false });
    const without = await world.person({ password_hash: '!' });
    const dear = await world.person({ password_hash: `$2b$31$${'x'.repeat(53)}` });
    const all = [email, 'nobody@firm.example', inactive.email, without.email, dear.email];
    const salts = await Promise.all(all.map(saltOf));
    for (const salt of salts) {
      expect(salt).toMatch(FORM);
      expect(salt.slice(0, 7)).toBe('$2b$12$');
    }
    expect(new Set(salts).size).toBe(all.length);
    expect(await Promise.all(all.map((each) => saltOf(each.toUpperCase())))).toEqual(salts);
  });

  test('by the work: each attempt asks the database twice and works out one hash', async () => {
    const { email } = await world.person();
    const inactive = await world.person({ is_active: false });
    const statements: Statement[] = [];
    const heard: Pick<Database, 'callAsLogin'> = {
      callAsLogin: (statement) => {
        statements.push(statement);
        return world.database.callAsLogin(statement);
      },
    };
    const provider = await world.restart();
    provider.serve(heard);
    for (const who of [email, inactive.email, 'no-such-user@firm.example']) {
      const begun = await beginLogin(openBrowser(provider.issuer));
      statements.length = 0;
      await begun.submit(who, 'a wrong guess');
      const asked = statements.filter(({ text }) => /_login\(/.test(text));
      expect(asked.map(({ text }) => /app\.(\w+)\(/.exec(text)?.[1])).toEqual([
        'begin_login',
        'finish_login',
      ]);
      const hash = String(asked[1]?.values[1]);
      expect(hash).toMatch(/^\$2b\$\d\d\$[./A-Za-z0-9]{53}$/);
      expect(hash).toBe(await hashWithSalt('a wrong guess', hash.slice(0, 29)));
    }
    await world.restart();
  });
});
