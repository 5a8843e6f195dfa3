/** An address of Postgres as libpq writes it: one server, or several of which one takes writes. */
export interface PostgresAddress {
  /** An address for each server, in their order. */
  readonly servers: readonly string[];
  /** Whether a server that takes no writes is none to connect to: `target_session_attrs=read-write`. */
  readonly writes: boolean;
}

const PARTS =
  /^(?<login>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<rest>(?:\/[^?#]*)?(?:\?(?<query>.*))?)$/i;

/** The address, or what is wrong with it, in words that complete a sentence and repeat nothing of it. */
export function readPostgresAddress(text: string): PostgresAddress | string {
  const groups = /\s/.test(text) ? undefined : PARTS.exec(text)?.groups;
  const { login = '', hosts = '', rest = '', query = '' } = groups ?? {};
  const servers = hosts.split(',').map((host) => `${login}${host}${rest}`);
  const isNamed = servers.length === 1 || !hosts.split(',').includes('');
  if (groups === undefined || !isNamed || !servers.every((server) => URL.canParse(server))) {
    return 'must be a postgres:// URL';
  }
  const parameters = new URLSearchParams(query);
  if (parameters.get('host')?.includes(',') === true) {
    return 'must name its hosts before the path';
  }
  const target = parameters.get('target_session_attrs') ?? 'any';
  if (target !== 'any' && target !== 'read-write') {
    return 'must have any or read-write as its target_session_attrs';
  }
  if (servers.length === 1) return { servers, writes: target === 'read-write' };
  if (target === 'any') return 'must say target_session_attrs=read-write where it names several hosts';
  return { servers, writes: true };
}

/**
 * The address, once it was read from the configuration.
 * @throws TypeError for one that is none.
 */
export function postgresAddress(text: string): PostgresAddress {
  const address = readPostgresAddress(text);
  if (typeof address === 'string') throw new TypeError(`An address of Postgres ${address}.`);
  return address;
}
