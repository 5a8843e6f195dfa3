import { convertToSingleLine } from './single-line.ts';

interface PostgresAddress {
  readonly servers: readonly string[];
  /** True for `target_session_attrs=read-write`: the pool connects to the primary alone. */
  readonly requiresPrimary: boolean;
}

const URL_PARTS_PATTERN =
  /^(?<login>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<rest>(?:\/[^?#]*)?(?:\?(?<query>.*))?)$/i;

/** For an invalid address, returns the broken rule without quoting the address, because it may contain a password. */
export function readPostgresAddress(text: string): PostgresAddress | string {
  const parts = /\s/.test(text) ? undefined : URL_PARTS_PATTERN.exec(text)?.groups;
  const { login = '', hosts = '', rest = '', query = '' } = parts ?? {};
  const servers = hosts.split(',').map((host) => `${login}${host}${rest}`);
  const areNamed = servers.length === 1 || !hosts.split(',').includes('');
  if (parts === undefined || !areNamed || !servers.every((server) => URL.canParse(server))) {
    return 'must be a postgres:// URL';
  }
  const parameters = new URLSearchParams(query);
  if (parameters.get('host')?.includes(',') === true) {
    return 'must name its hosts before the path';
  }
  const attributes = parameters.get('target_session_attrs') ?? 'any';
  if (attributes !== 'any' && attributes !== 'read-write') {
    return 'must have any or read-write as its target_session_attrs';
  }
  if (servers.length === 1) return { servers, requiresPrimary: attributes === 'read-write' };
  if (attributes === 'any') return 'must say target_session_attrs=read-write where it names several hosts';
  return { servers, requiresPrimary: true };
}

/** Names the hosts and the database of an address, without its login and password. */
export function describePostgresAddress(text: string): string {
  const urls = parsePostgresAddress(text).servers.map((server) => new URL(server));
  const hosts = urls.map(({ host, searchParams }) => searchParams.get('host') ?? (host || 'the default host'));
  const name = urls[0]?.pathname.slice(1) || 'of the login’s name';
  return convertToSingleLine(`the database ${name} at ${hosts.join(', ')}`);
}

export function parsePostgresAddress(text: string): PostgresAddress {
  const address = readPostgresAddress(text);
  if (typeof address === 'string') throw new TypeError(`An address of Postgres ${address}.`);
  return address;
}
