import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { blockOf } from '../support/pages.ts';
import { ROOT } from '../support/suites.ts';
import { folderForSuite } from '../support/suite.ts';

/* A copy of the repository that also contains the example files of CONVENTIONS.md. */

export const RESOURCE = 'src/resources/contacts.ts';
export const DENIAL = 'test/resources/contacts.test.ts';
const FILES: Readonly<Record<string, string>> = {
  'db/migrations/9999_contacts.sql': 'create table public.contacts',
  'db/policies/contacts.sql': '-- Everybody with access',
  [RESOURCE]: 'import * as field',
  [DENIAL]: 'import { expect, test }',
};

/** Lines that the example of CONVENTIONS.md adds to existing files, each with the start of the line after it. */
const LINES: readonly (readonly [file: string, before: string, line: string])[] = [
  ['src/resources/index.ts', 'import { deadlinesEndpoint }', `import { contactEndpoints } from './contacts.ts';`],
  ['src/resources/index.ts', '  Cadastres:', `  Contacts: 'The people of a client whom the firm calls.',`],
  ['src/resources/index.ts', '  ...cadastreEndpoints', '  ...contactEndpoints,'],
  ['test/support/rows.ts', "  ...(['partners',", `  'contacts',`],
  [
    'test/support/rows.ts',
    '  cadastres: {',
    `  contacts: {
    least: () => ({ name: 'Anne Roux' }),
    of: ({ clients }) => ({ client_id: clients }),
    change: ['phone', '04 78 00 00 00'],
  },`,
  ],
  ['test/support/tenant.ts', `    rowOf('cadastres'`, `    rowOf('contacts', tenant),`],
];

/** Copies the repository into a folder, and adds the example files of CONVENTIONS.md. */
export async function copyConventions(): Promise<string> {
  const folder = await folderForSuite();
  for (const path of ['src', 'db', 'test', 'deploy', 'package.json', 'tsconfig.json', 'jest.config.js'])
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, beginning] of Object.entries(FILES))
    await writeFile(join(folder, file), blockOf('CONVENTIONS.md', beginning));
  for (const [file, before, line] of LINES) {
    const [head, tail, more] = (await readFile(join(folder, file), 'utf8')).split(`\n${before}`);
    if (tail === undefined || more !== undefined) throw new Error(`${before} does not stand once in ${file}`);
    await writeFile(join(folder, file), `${head ?? ''}\n${line}\n${before}${tail}`);
  }
  return folder;
}
