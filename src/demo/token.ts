import type { CommandArguments } from '../arguments.ts';
import { ConfigError, loadConfig } from '../config.ts';
import { ROLES } from '../identity/caller.ts';
import { chooseIssuerUrl } from './provider/address.ts';
import { openSigner, type TokenRequest } from './provider/key.ts';
import { isValidSubject, isUuid, createSubjectUuid } from '../identity/subject.ts';
import { runCommand } from '../admin/commands/run-command.ts';

const LIFETIME_PATTERN = /^(?<number>[1-9]\d{0,6})(?<unit>[smhd])$/;
const SECONDS_BY_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const MAX_LIFETIME_SECONDS = 90 * 86_400;
const SUBJECT_NAMESPACE = 'urn:taxclaims:identity';

const command = {
  usage: `usage: npm run token -- --role ROLE [options]
  --role            one of ${ROLES.join(', ')}
  --client-access   a client's id, or several separated by commas; may be repeated
  --subject         subject of the token; default: a subject derived from the role and the clients
  --email, --name   email and name in the token
  --expires-in      a number and a unit, s, m, h or d, up to 90d; default: 12h
  --help, --version`,
  failureExitCode: 1,
  options: {
    role: { type: 'string' },
    'client-access': { type: 'string', multiple: true },
    subject: { type: 'string' },
    email: { type: 'string' },
    name: { type: 'string' },
    'expires-in': { type: 'string' },
  },
} as const;

await runCommand(command, async ({ values }) => {
  if (process.env['AUTH_ISSUER']) {
    throw new ConfigError(
      'AUTH_ISSUER is set: tokens come from that provider, and this command creates tokens of the embedded provider only',
    );
  }
  const { dataDir, identity } = loadConfig(process.env);
  const request = tokenRequestFrom(values);
  const names = { role: identity.roleClaim, clientAccess: identity.clientAccessClaim };
  const issuer = await chooseIssuerUrl(dataDir, identity.embeddedPort);
  const signer = await openSigner(dataDir, issuer, names);
  process.stdout.write(`${await signer.sign(request)}\n`);
});

function tokenRequestFrom(values: CommandArguments<typeof command.options>['values']): TokenRequest {
  const role = ROLES.find((known) => known === values.role);
  if (role === undefined) throw new ConfigError(`--role must be one of ${ROLES.join(', ')}`);
  const ids = (values['client-access'] ?? []).flatMap((value) => value.split(','));
  const clientAccess = [...new Set(ids.map((id) => id.trim().toLowerCase()))].sort();
  if (!clientAccess.every(isUuid))
    throw new ConfigError("--client-access must be a client's id, a UUID, or several separated by commas");
  const subject = values.subject ?? createSubjectUuid(SUBJECT_NAMESPACE, `${role}:${clientAccess.join(',')}`);
  if (!isValidSubject(subject))
    throw new ConfigError('--subject must have 1 to 255 characters of ASCII, and a UUID no capitals');
  return {
    subject,
    role,
    clientAccess,
    email: values.email,
    name: values.name,
    expiresIn: readLifetime(values['expires-in']),
  };
}

function readLifetime(value: string | undefined): string | undefined {
  if (value === undefined) return value;
  const { number, unit = '' } = LIFETIME_PATTERN.exec(value)?.groups ?? {};
  const seconds = Number(number) * (SECONDS_BY_UNIT[unit] ?? NaN);
  if (seconds <= MAX_LIFETIME_SECONDS) return value;
  throw new ConfigError('--expires-in must be a number and a unit, s, m, h or d, as in 30m, and at most 90d');
}
