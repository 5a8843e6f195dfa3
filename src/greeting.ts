import { dirname, relative } from 'node:path';
import { DEMONSTRATION_USERS } from './embedded/people.ts';
import type { Service } from './service.ts';
import { VERSION } from './version.ts';

export type Greeting = ReturnType<typeof buildGreeting>;

export function buildGreeting({ url, embedded: { database, provider, mails } }: Service) {
  return {
    version: VERSION,
    docs: `${url}/docs`,
    api: url,
    issuer: provider?.issuer,
    jwks: provider?.jwksUrl,
    mails,
    logins: database?.logins.map((login) => ({
      role: DEMONSTRATION_USERS.find(({ email }) => email === login.email)?.role ?? '',
      ...login,
    })),
    postgres: database && {
      port: database.port,
      passwordFile: database.passwordFile,
      psql: `psql -h 127.0.0.1 -p ${database.port} -U postgres taxclaims`,
    },
  };
}

/** If the path in DATA_DIR is short, the greeting fits into a terminal window of 20 lines and 80 columns. */
export function formatGreeting({ version, docs, api, issuer, mails, logins = [], postgres }: Greeting): string {
  const greetingLines = ['', `taxclaims ${version}`, `Open      ${docs}`, `API       ${api}`];
  if (issuer !== undefined) greetingLines.push(`Identity  ${issuer}`);
  if (mails !== undefined) greetingLines.push(`Mails     ${relative('', mails)}`);
  if (logins.length > 0) greetingLines.push('');
  for (const { role, email, password } of logins)
    greetingLines.push(`${role.padEnd(15)}  ${email.padEnd(38)}  ${password}`);
  const passwordPath = relative('', postgres?.passwordFile ?? '');
  if (postgres !== undefined) {
    greetingLines.push(...['', 'Postgres:', `  PGPASSWORD=$(cat ${passwordPath}) \\`], `    ${postgres.psql}`);
  }
  if (issuer !== undefined) {
    const dataDir = dirname(dirname(passwordPath));
    const dataDirAssignmentText = postgres === undefined || dataDir === '.data' ? '' : `DATA_DIR=${dataDir} `;
    const tokenCommand = `  TOKEN=$(${dataDirAssignmentText}npm run --silent token -- --role ADMIN)`;
    greetingLines.push('', 'Try:', tokenCommand, `  curl -H "Authorization: Bearer $TOKEN" ${api}/api/clients`);
  }
  return [...greetingLines, ''].join('\n');
}
