import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { oneLineReason, convertToSingleLine } from './single-line.ts';

interface PostgresAddress {
  readonly servers: readonly string[];
  /** True for `target_session_attrs=read-write`: the pool connects to the primary alone. */
  readonly requiresPrimary: boolean;
}

const URL_PARTS_PATTERN =
  /^(?<login>postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?<hosts>[^/?#]*)(?<rest>(?:\/[^?#]*)?(?:\?(?<query>.*))?)$/i;

/** The values of `sslmode` that say how an address is protected; `allow` and `prefer` leave it to the server. */
const SSL_MODES = ['disable', 'require', 'verify-ca', 'verify-full'];
const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'channel_binding'];
const PARAMETERS = [...TLS_PARAMETERS, 'target_session_attrs', 'host', 'port', 'application_name', 'options'];

/**
 * Reads an address in the syntax of libpq. For an invalid address, returns the broken rule without quoting the address,
 * because it may contain a password.
 */
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
  const broken = findBrokenParameter(parameters) ?? findTlsProblem(servers, parameters);
  if (broken !== undefined) return broken;
  if (servers.length === 1) return { servers, requiresPrimary: attributes === 'read-write' };
  if (attributes === 'any') return 'must say target_session_attrs=read-write where it names several hosts';
  return { servers, requiresPrimary: true };
}

function findBrokenParameter(parameters: URLSearchParams): string | undefined {
  const names = [...parameters.keys()];
  const unknown = names.find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    return `must not have the parameter ${JSON.stringify(unknown.slice(0, 30))}: the known ones are ${PARAMETERS.join(', ')}`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated && `must have the parameter ${repeated} only once`;
}

function findTlsProblem(servers: readonly string[], parameters: URLSearchParams): string | undefined {
  const [mode, rootFile] = [parameters.get('sslmode'), parameters.get('sslrootcert')];
  if (mode === null) {
    const isAnyElsewhere = servers.some((server) => !isOnThisMachine(server));
    if (isAnyElsewhere || TLS_PARAMETERS.some((name) => parameters.has(name)))
      return `must say sslmode=verify-full, or another of ${SSL_MODES.join(', ')}`;
    return undefined;
  }
  if (!SSL_MODES.includes(mode)) return `must have one of ${SSL_MODES.join(', ')} as its sslmode`;
  if (mode === 'verify-ca' && rootFile === null)
    return 'must name the file of the certificate authority in sslrootcert where sslmode is verify-ca';
  if (rootFile === 'system' && mode !== 'verify-full')
    return 'must have verify-full as its sslmode where sslrootcert is system';
  const binding = parameters.get('channel_binding') ?? 'disable';
  if (binding !== 'prefer' && binding !== 'disable')
    return 'must have prefer or disable as its channel_binding: only sslmode=verify-full makes sure which server answers';
  return ['sslrootcert', 'sslcert', 'sslkey']
    .map((name) => findFileProblem(name, parameters))
    .find((problem) => problem !== undefined);
}

function findFileProblem(name: string, parameters: URLSearchParams): string | undefined {
  const file = parameters.get(name);
  if (file === null || (name === 'sslrootcert' && file === 'system')) return undefined;
  try {
    const content = readFileSync(file);
    if (name !== 'sslkey') new X509Certificate(content);
    return undefined;
  } catch (error) {
    return `must name a readable certificate or key in ${name}: ${oneLineReason(error)}`;
  }
}

/** True for a socket and for an address of the loopback interface: nobody else on the network reads such a connection. */
function isOnThisMachine(server: string): boolean {
  const { hostname, searchParams } = new URL(server);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  const isLoopback = ['', 'localhost', '[::1]', '::1'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
  return isLoopback || host.startsWith('/');
}

export function hasPassword(address: PostgresAddress): boolean {
  return address.servers.some((server) => new URL(server).password !== '');
}

/** Names the hosts and the database of an address, without its login and password. */
export function describePostgresAddress(text: string): string {
  const urls = parsePostgresAddress(text).servers.map((server) => new URL(server));
  const hosts = urls.map(({ host, searchParams }) => searchParams.get('host') ?? (host || 'localhost'));
  const name = urls[0]?.pathname.slice(1) || 'of the login’s name';
  return convertToSingleLine(`the database ${name} at ${hosts.join(', ')}`);
}

export function parsePostgresAddress(text: string): PostgresAddress {
  const address = readPostgresAddress(text);
  if (typeof address === 'string') throw new TypeError(`An address of Postgres ${address}.`);
  return address;
}
