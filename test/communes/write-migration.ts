import { writeFile } from 'node:fs/promises';
import { sqlFolder } from '../../src/db/sql-folder.ts';
import { readMigratedRows, readPackageRows } from './package-rows.ts';

/*
 * Writes a migration with the communes that the package has and no migration writes yet:
 * npx node test/communes/write-migration.ts 0060_communes_2028
 */

const [name = ''] = process.argv.slice(2);
if (!/^\d{4}_communes_\w+$/.test(name)) throw new Error('usage: write-migration.ts NNNN_communes_YEAR');
const migrated = await readMigratedRows();
const lines = [...(await readPackageRows())].flatMap(([code, rest]) =>
  migrated.get(code) === rest ? [] : [`${code};${rest}`],
);
if (lines.length === 0) throw new Error('the migrations write every commune of the package');
await writeFile(
  `${sqlFolder('migrations')}/${name}.sql`,
  `-- Written by test/communes/write-migration.ts from @etalab/decoupage-administratif. Each line is a commune: code, name,
-- current code, postal codes.
set local row_security = off;
alter table public.communes no force row level security;
insert into public.communes (code, name, current_code, postal_codes)
select
    c.cells[1],
    nullif(c.cells[2], ''),
    nullif(c.cells[3], ''),
    pg_catalog.string_to_array(nullif(c.cells[4], ''), ' ')
from pg_catalog.string_to_table(pg_catalog.btrim($communes$
${lines.join('\n')}
$communes$, e'\\n'), e'\\n') as l (line)
cross join lateral (select pg_catalog.string_to_array(l.line, ';') as cells) as c
on conflict (code) do update
set name = excluded.name, current_code = excluded.current_code, postal_codes = excluded.postal_codes;
alter table public.communes force row level security;
set local row_security = on;
`,
);
