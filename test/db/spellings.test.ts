import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { migrate } from '../../src/db/deploy/migrate.ts';
import { connected, createTestDatabase, withAdmin } from '../support/database.ts';
import { createDatabaseBefore } from '../support/release-before.ts';
import { forSuite } from '../support/suite.ts';

/* One person has one subject and one email, however these are written, and whoever writes them. */

const database = await forSuite(createTestDatabase());
const admin = await forSuite(connected(database.adminUrl));

async function store(subject: string | null, email = `${randomUUID()}@b.example`, client = admin): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into public.users (email, password_hash, name, role, subject) values ($1, '!', 'Ada', 'CLIENT', $2) returning id`,
    [email, subject],
  );
  return rows[0]?.id ?? '';
}

const subjectOf = async (id: string, client = admin): Promise<unknown> =>
  (await client.query<{ subject: unknown }>('select subject from public.users where id = $1', [id])).rows[0]?.subject;

const UUID = 'abcdef00-0000-4000-8000-000000000001';
const OTHERWISE: readonly (readonly [string, string])[] = [
  ['a UUID in capitals', UUID.toUpperCase()],
  ['a UUID with one capital', UUID.replace('f', 'F')],
  ['a blank before it', ' somebody'],
  ['a blank after it', 'somebody '],
  ['a line break after it', 'somebody\n'],
  ['an accent', 'zoé'],
  ['the same accent in two characters', 'zoe\u0301'],
  ['a character without width', 'some\u200bbody'],
  ['a blank that is no ASCII', 'some\u00a0body'],
];

describe('a subject', () => {
  test.each(OTHERWISE)('with %s is not stored, even by a superuser', async (_what, subject) => {
    await expect(store(subject)).rejects.toMatchObject({ constraint: 'users_subject_form' });
  });

  test.each([UUID, 'auth0|Ada', 'CN=Ada Lovelace, O=Cabinet', `{${UUID.toUpperCase()}}`, '~', 'x'.repeat(255)])(
    'such as %s is stored',
    async (subject) => {
      expect(await subjectOf(await store(subject))).toBe(subject);
    },
  );

  test('that an earlier release stored in another spelling is taken from its user, who waits to be found by email', async () => {
    const earlier = await createDatabaseBefore('0020');
    const { adminUrl } = earlier;
    await withAdmin(adminUrl, async (client) => {
      const ids: string[] = [];
      for (const [, subject] of OTHERWISE) ids.push(await store(subject, undefined, client));
      const kept = await store('idp|kept', undefined, client);
      await migrate({ adminUrl, log: pino({ level: 'silent' }) });
      for (const id of ids) expect(await subjectOf(id, client)).toBeNull();
      expect(await subjectOf(kept, client)).toBe('idp|kept');
    });
    await earlier.close();
  });
});

describe('an email', () => {
  test('is that of one user, whatever the case of its letters', async () => {
    await store(null, 'info@b.example');
    await expect(store(null, 'INFO@B.example')).rejects.toMatchObject({ constraint: 'users_email_key' });
  });

  test('is compared in the same way in whatever language the database sorts', async () => {
    // In Turkish the small letter of I is another one than i.
    const { rows } = await admin.query<{ definition: string; turkish: boolean }>(
      `select
           pg_get_indexdef('public.users_email_key'::regclass) as definition,
           lower('INFO' collate "tr-x-icu") = 'info' as turkish`,
    );
    expect(rows).toEqual([{ definition: expect.stringContaining('COLLATE "C"'), turkish: false }]);
  });
});
