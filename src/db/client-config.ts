import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { parse, toClientConfig } from 'pg-connection-string';
import { oneLineReason } from '../single-line.ts';

/**
 * Returns how pg connects to one server of an address, with the meaning that libpq gives to the parameters.
 * @param passwordFile the file with the login's password, which is read for each connection
 */
export function createClientConfig(server: string, passwordFile?: string): ClientConfig {
  const { searchParams } = new URL(server);
  // Without sslrootcert, Node trusts the authorities that it knows.
  const text = searchParams.get('sslrootcert') === 'system' ? server.replace(/sslrootcert=system(?:&|$)/, '') : server;
  const config = toClientConfig(parse(text, { useLibpqCompat: true }));
  return {
    ...config,
    // PGHOST would lead an address without a host to another machine.
    host: config.host || 'localhost',
    ...(passwordFile !== undefined && { password: () => readPassword(passwordFile) }),
    enableChannelBinding: searchParams.get('channel_binding') === 'prefer',
  };
}

/** The codes with which Node refuses the certificate of an authority that it does not know. */
const UNKNOWN_AUTHORITY_CODES = new Set([
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
]);

/** Returns an error that says what the address of the database lacks, where pg or Node name only their own part. */
export function explainConnectionError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.message.endsWith('client password must be a string'))
    return new Error('the server asks for a password, and the address of the database has none', { cause: error });
  if ('code' in error && UNKNOWN_AUTHORITY_CODES.has(String(error.code)))
    return new Error(
      'the certificate of the server is of an unknown authority: name the file of its certificate in sslrootcert',
      { cause: error },
    );
  return error;
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new Error(`DATABASE_PASSWORD_FILE cannot be read: ${oneLineReason(cause)}`, { cause });
  }
}
