import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { loadAdminConfig, loadConfig } from '../../src/config.ts';
import { createClientConfig } from '../../src/db/client-config.ts';
import { blockOf, textOf } from '../support/pages.ts';
import { folderForSuite } from '../support/suite.ts';
import { ROOT } from '../support/suites.ts';

/* Each page of docs/databases describes a provider of Postgres. Nothing here connects to a provider. */

const INDEX = 'docs/databases/README.md';
const pages = globSync('docs/databases/*.md', { cwd: ROOT })
  .filter((page) => page !== INDEX)
  .sort();

const folder = await folderForSuite();
const authority = join(folder, 'ca.pem');
const files = ['-keyout', join(folder, 'ca.key'), '-out', authority];
execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=ca', ...files], {
  stdio: 'pipe',
});

/** Returns the variables that a page sets, with a file of this test in place of the provider's certificate. */
function variablesOf(page: string): Readonly<Record<string, string | undefined>> {
  return parseEnv(blockOf(page, 'DATABASE_ADMIN_URL=').replaceAll(/(?<=sslrootcert=)\/[\w./-]+/g, authority));
}

test('the index of the providers links to each page', () => {
  const rows = [...textOf(INDEX).matchAll(/^\| \[.*?\]\((.*?)\)/gm)].map(([, page]) => page);
  expect(rows.sort()).toEqual(pages.map((page) => basename(page)));
  expect(rows).toHaveLength(8);
});

describe.each(pages)('%s', (page) => {
  test('a page of docs/databases says in at most 60 lines what ran, who administers, where, and what a DBA has to know', () => {
    const text = textOf(page);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(text).toMatch(/^The statements about .* (?:did not run there|Nothing on this page ran there)/ms);
    const topics = [...text.matchAll(/^- \*\*(.*?)\*\*/gm)].map(([, topic]) => topic);
    const required = ['Administrator', 'Database', 'Address', 'Pooler', 'BI logins', 'Weaker', 'Backup'];
    expect(topics.filter((topic = '') => required.includes(topic))).toEqual(required);
    expect(topics.some((topic = '') => /^(?:Expiring passwords|Passwords)$/.test(topic))).toBe(true);
    expect([...text.matchAll(/\]\(https:\/\//g)].length).toBeGreaterThanOrEqual(3);
  });

  test('a page of docs/databases has addresses that the service and its commands take, and that check the certificate of the server', () => {
    const variables = variablesOf(page);
    const { url = '', passwordFile } = loadConfig(variables).database;
    const adminUrl = loadAdminConfig(variables).databaseAdminUrl;
    for (const [address, file] of [[url, passwordFile], [adminUrl]] as const) {
      const { host, ssl } = createClientConfig(address, file);
      const checksHost = new URL(address).searchParams.get('sslmode') === 'verify-full';
      expect(host).toBe(new URL(address).hostname);
      expect(ssl).not.toBe(false);
      if (typeof ssl === 'object') {
        expect(ssl.rejectUnauthorized).not.toBe(false);
        expect(ssl.checkServerIdentity === undefined).toBe(checksHost);
      }
    }
    expect(new URL(adminUrl).pathname).toBe('/taxclaims');
    expect(new URL(adminUrl).hostname).not.toContain('pooler');
  });
});
