import { createHash } from 'node:crypto';
import pg from 'pg';
import { DatabaseError } from 'pg-protocol';
import type { Fact } from '../audit/declared.ts';
import { differsFrom } from '../audit/drift.ts';
import type { SqlFiles } from './apply.ts';
import { isContention } from './contention.ts';
import type { MigrationFiles } from './migration-list.ts';

export interface Release {
  readonly files: SqlFiles;
  readonly migrations: MigrationFiles;
  readonly declared: readonly Fact[];
}

/** The comment of this table, which nobody but its owner may write. */
const NOTE = `obj_description(to_regclass('audit.applied'), 'pg_class')`;
const MARK = 'Digest of what was applied: ';

/** The comments of the house, which are no facts, but for the note itself. */
const COMMENTS = `
  select md5(string_agg(concat_ws(' ', d.classoid, d.objsubid, d.description), ';' order by d.classoid, d.objsubid, d.description)) as digest
  from pg_description as d
  where d.objoid >= 16384 and not (d.objoid = coalesce(to_regclass('audit.applied')::oid, '0') and d.objsubid = 0)`;

/** True where this release was deployed last and nobody has changed anything since. It asks the catalogs alone. */
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
    // A deploy makes a dropped object anew.
    if (error instanceof DatabaseError && !isContention(error)) return false;
    throw error;
  }
}

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
