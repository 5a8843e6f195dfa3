import { deepEqual, equal } from 'node:assert/strict';
import type pg from 'pg';
import type { Check } from './checks.ts';
import { idOf } from './fixture.ts';
import { deniedToAll, refusedWith, takenBack } from './session.ts';

const DIGEST = 'a'.repeat(64);
const MANAGER = 'taxclaims_account_manager';
const USER = '00000000-0000-4000-8000-00000000000a';

/**
 * Changes the role and the settings of the open transaction. The next SQL then runs as a caller with the given database
 * role, token subject and client.
 */
async function become(client: pg.Client, role: string, actor: string, firm: 'a' | 'b' = 'a'): Promise<void> {
  await client.query(
    `select set_config('role', $1, true), set_config('app.actor', $2, true), set_config('app.user_id', $3, true),
        set_config('app.client_access', $4, true)`,
    [role, actor, USER, `{${idOf(firm, 'clients')}}`],
  );
}

function link(client: pg.Client, firm: 'a' | 'b' = 'a'): Promise<unknown> {
  const text = `select app.link_document($1, $2, $3, timestamptz '2026-01-05 08:00:00Z', 'rights')`;
  return client.query(text, [DIGEST, idOf(firm, 'documents'), idOf(firm, 'clients')]);
}

async function opened(client: pg.Client, digest = DIGEST, document = idOf('a', 'documents')) {
  const { rows } = await client.query<Record<string, unknown>>('select * from app.document_link($1, $2)', [
    digest,
    document,
  ]);
  return rows;
}

const ALL = 'select digest from app.document_links';

export const documentLinkChecks: readonly Check[] = [
  {
    title: 'document_links: no request role, API login, reporting login or auditor can read the address of a document',
    run: async (world) => {
      await deniedToAll(world, ALL);
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, 'somebody');
        await link(admin);
        await become(admin, 'none', '');
        equal((await admin.query(ALL)).rowCount, 1);
      });
    },
  },
  {
    title:
      'document_links: the download address of a document works for a minute with its creator’s rights, and opens no other document',
    run: async (world) => {
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, 'somebody');
        await link(admin);
        await become(admin, 'taxclaims_api', '');
        deepEqual(await opened(admin), [
          {
            subject: 'somebody',
            user_id: USER,
            role: 'ACCOUNT_MANAGER',
            client_id: idOf('a', 'clients'),
            issued_at: new Date('2026-01-05T08:00:00Z'),
            access_digest: 'rights',
          },
        ]);
        deepEqual(await opened(admin, 'b'.repeat(64)), []);
        deepEqual(await opened(admin, DIGEST, idOf('b', 'documents')), []);
        await become(admin, 'none', '');
        const { rows } = await admin.query<{ lasts: string }>(
          `select (expires_at - now())::text as lasts from app.document_links`,
        );
        equal(rows[0]?.lasts, '00:01:00');
        await admin.query('update app.document_links set expires_at = now()');
        await become(admin, 'taxclaims_api', '');
        deepEqual(await opened(admin), []);
      });
    },
  },
  {
    title: 'document_links: only an ADMIN without a client list creates the address of a document of a foreign client',
    run: async (world) => {
      for (const role of ['scoped_admin', 'account_manager', 'tax_specialist', 'client'])
        await takenBack(world, async (admin) => {
          await become(admin, `taxclaims_${role}`, 'somebody');
          await refusedWith('42501', link(admin, 'b'));
        });
      await takenBack(world, async (admin) => {
        await become(admin, 'taxclaims_admin', 'somebody');
        await link(admin, 'b');
        await become(admin, 'none', '');
        equal((await admin.query(ALL)).rowCount, 1);
      });
    },
  },
  {
    title:
      'document_links: a function of taxclaims_definer creates addresses only for the caller, and deletes only expired addresses',
    run: async (world) => {
      await takenBack(world, async (admin) => {
        await become(admin, MANAGER, 'somebody');
        await link(admin);
        await become(admin, 'taxclaims_definer', 'somebody');
        equal((await admin.query(ALL)).rowCount, 1);
        equal((await admin.query('delete from app.document_links')).rowCount, 0);
        await admin.query('savepoint tried');
        const forged = `insert into app.document_links
            (digest, document_id, client_id, subject, user_id, role, issued_at, access_digest, expires_at)
            select 'forged', document_id, client_id, 'another', user_id, role, issued_at, access_digest, expires_at
            from app.document_links`;
        await refusedWith('42501', admin.query(forged));
        await admin.query('rollback to savepoint tried');
        await become(admin, 'taxclaims_api', '');
        await admin.query('select app.forget_answers(1)');
        await become(admin, 'none', '');
        equal((await admin.query(ALL)).rowCount, 1);
        await admin.query('update app.document_links set expires_at = now()');
        await become(admin, 'taxclaims_api', '');
        await admin.query('select app.forget_answers(1)');
        await become(admin, 'none', '');
        equal((await admin.query(ALL)).rowCount, 0);
      });
    },
  },
];
