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

/** Returns an error that says what is missing, where pg itself only says that its own variable has another type. */
export function explainConnectionError(error: unknown): unknown {
  if (!(error instanceof Error) || !error.message.endsWith('client password must be a string')) return error;
  return new Error('the server asks for a password, and the address of the database has none', { cause: error });
}

async function readPassword(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  } catch (cause) {
    throw new Error(`DATABASE_PASSWORD_FILE cannot be read: ${oneLineReason(cause)}`, { cause });
  }
}
