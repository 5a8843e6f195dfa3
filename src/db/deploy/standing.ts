import { createHash } from 'node:crypto';
import pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Fact } from '../audit/declared.ts';
import { differsFrom } from '../audit/drift.ts';
import type { SqlFiles } from './apply.ts';
import { isContention } from './contention.ts';
import type { MigrationFiles } from './migration-list.ts';

/** What a deploy would apply and declare. */
export interface Release {
  readonly files: SqlFiles;
  readonly migrations: MigrationFiles;
  readonly declared: readonly Fact[];
}

/** What a deploy says in the comment of this table, which nobody but its owner may write. */
const NOTE = `obj_description(to_regclass('audit.applied'), 'pg_class')`;
const MARK = 'Digest of what was applied: ';

/** The comments of the house, which are no facts and which a deploy sets all the same; but for the note itself. */
const COMMENTS = `
  select md5(string_agg(concat_ws(' ', d.classoid, d.objsubid, d.description), ';' order by d.classoid, d.objsubid, d.description)) as digest
  from pg_description as d
  where d.objoid >= 16384 and not (d.objoid = coalesce(to_regclass('audit.applied')::oid, '0') and d.objsubid = 0)`;

/**
 * Whether a deploy of this release has nothing to do: it was the last one that was done here, and nobody has changed
 * anything since. What the database says of itself is asked for nothing but its catalogs.
 */
export async function stands(client: pg.Client, release: Release): Promise<boolean> {
  try {
    const { rows } = await client.query<{ noted: string | null; migrations: string }>(
      `select ${NOTE} as noted, (select count(to_jsonb(m) ->> 'digest') from app.migrations as m) as migrations`,
    );
    const [{ noted, migrations } = { noted: null, migrations: '' }] = rows;
    if (Number(migrations) !== release.migrations.size) return false;
    if (noted?.endsWith(await noteOf(client, release)) !== true) return false;
    await client.query('begin');
    return !(await differsFrom(client, release.declared));
  } catch (error) {
    // Whatever somebody has taken away that this stands on, a deploy makes it anew.
    if (error instanceof DatabaseError && !isContention(error)) return false;
    throw error;
  }
}

/** Notes at the end of a deploy which release it was. */
export async function noteRelease(client: pg.Client, release: Release): Promise<void> {
  const { rows } = await client.query<{ said: string | null }>(`select ${NOTE} as said`);
  const [said = ''] = rows[0]?.said?.split(` ${MARK}`) ?? [];
  const note = pg.escapeLiteral(`${said} ${await noteOf(client, release)}`);
  await client.query(`comment on table audit.applied is ${note}`);
}

async function noteOf(client: pg.Client, { files, migrations, declared }: Release): Promise<string> {
  const { rows } = await client.query<{ digest: string }>(COMMENTS);
  const hash = createHash('sha256').update(JSON.stringify([[...files], [...migrations], declared, rows]));
  return `${MARK}${hash.digest('hex')}`;
}
