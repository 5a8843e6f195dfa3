import { createHash } from 'node:crypto';
import pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { DatabaseFact } from '../audit/declared.ts';
import { differsFromDeclaredFacts } from '../audit/drift.ts';
import { isContention } from './locks.ts';
import { migrationsOf, type SqlFiles } from './sql-files.ts';

export interface ReleaseContents {
  readonly files: SqlFiles;
  readonly declared: readonly DatabaseFact[];
}

/** SQL for the comment on audit.applied, which holds the release's digest; only the table's owner may comment on it. */
const RELEASE_COMMENT_SQL = `obj_description(to_regclass('audit.applied'), 'pg_class')`;
const DIGEST_LABEL = 'Digest of what was applied: ';

/** SQL for a digest of all comments on database objects except audit.applied; the declared facts omit comments. */
const COMMENTS_DIGEST_QUERY = `
  select md5(string_agg(concat_ws(' ', d.classoid, d.objsubid, d.description), ';' order by d.classoid, d.objsubid, d.description)) as digest
  from pg_description as d
  where d.objoid >= 16384 and not (d.objoid = coalesce(to_regclass('audit.applied')::oid, '0') and d.objsubid = 0)`;

export async function isReleaseDeployed(client: pg.Client, release: ReleaseContents): Promise<boolean> {
  try {
    const { rows } = await client.query<{ comment: string | null; migrations: string }>(
      `select ${RELEASE_COMMENT_SQL} as comment, (select count(to_jsonb(m) ->> 'digest') from app.migrations as m) as migrations`,
    );
    const [{ comment, migrations } = { comment: null, migrations: '' }] = rows;
    if (Number(migrations) !== migrationsOf(release.files).size) return false;
    if (comment?.endsWith(await computeReleaseDigest(client, release)) !== true) return false;
    await client.query('begin');
    return !(await differsFromDeclaredFacts(client, release.declared));
  } catch (error) {
    // If an object that `differsFromDeclaredFacts` reads is missing, the release is not deployed yet.
    if (error instanceof DatabaseError && !isContention(error)) return false;
    throw error;
  }
}

export async function storeReleaseDigest(client: pg.Client, release: ReleaseContents): Promise<void> {
  const { rows } = await client.query<{ comment: string | null }>(`select ${RELEASE_COMMENT_SQL} as comment`);
  const [text = ''] = rows[0]?.comment?.split(` ${DIGEST_LABEL}`) ?? [];
  const comment = `${text} ${await computeReleaseDigest(client, release)}`;
  await client.query(`comment on table audit.applied is ${pg.escapeLiteral(comment)}`);
}

async function computeReleaseDigest(client: pg.Client, { files, declared }: ReleaseContents): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(COMMENTS_DIGEST_QUERY);
  const digest = createHash('sha256')
    .update(JSON.stringify([[...files], declared, rows]))
    .digest('hex');
  return `${DIGEST_LABEL}${digest}`;
}
