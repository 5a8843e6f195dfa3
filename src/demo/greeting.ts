import { dirname, relative } from 'node:path';
import { DEMONSTRATION_USERS } from './people.ts';
import type { EmbeddedDatabase } from './postgres/prepare.ts';
import type { EmbeddedProvider } from './provider/start.ts';

type Greeting = ReturnType<typeof buildGreeting>;

/** @param mails the folder to which the service writes mails; undefined if it sends them */
export function buildGreeting(
  mails: string | undefined,
  provider: EmbeddedProvider | undefined,
  postgres: EmbeddedDatabase | undefined,
) {
  return {
    issuer: provider?.issuer,
    jwks: provider?.jwksUrl,
    mails,
    logins: postgres?.logins.map((login) => ({
      role: DEMONSTRATION_USERS.find(({ email }) => email === login.email)?.role ?? '',
      ...login,
    })),
    postgres: postgres && {
      port: postgres.port,
      passwordFile: postgres.passwordFile,
      psql: `psql -h 127.0.0.1 -p ${postgres.port} -U postgres taxclaims`,
    },
  };
}

/**
 * Returns the lines of the greeting below the address of the service, `url`. If the path in DATA_DIR is short, the
 * greeting fits into a terminal window of 20 lines and 80 columns.
 */
export function formatGreeting({ issuer, mails, logins = [], postgres }: Greeting, url: string): string[] {
  const lines: string[] = [];
  if (issuer !== undefined) lines.push(`Identity  ${issuer}`);
  if (mails !== undefined) lines.push(`Mails     ${relative('', mails)}`);
  if (logins.length > 0) lines.push('');
  for (const { role, email, password } of logins) lines.push(`${role.padEnd(15)}  ${email.padEnd(38)}  ${password}`);
  const passwordFile = relative('', postgres?.passwordFile ?? '');
  if (postgres !== undefined)
    lines.push('', 'Postgres:', `  PGPASSWORD=$(cat ${passwordFile}) \\`, `    ${postgres.psql}`);
  if (issuer !== undefined) {
    const dataDir = dirname(dirname(passwordFile));
    const assignment = postgres === undefined || dataDir === '.data' ? '' : `DATA_DIR=${dataDir} `;
    const token = `  TOKEN=$(${assignment}npm run --silent token -- --role ADMIN)`;
    lines.push('', 'Try:', token, `  curl -H "Authorization: Bearer $TOKEN" ${url}/api/clients`);
  }
  return lines;
}
