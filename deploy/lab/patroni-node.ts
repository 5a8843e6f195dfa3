import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../../src/demo/postgres/free-port.ts';
import { accountOfPostgres, makeFolderFor } from './account.ts';
import type { Part } from './part.ts';
import { findProgram, startProgram } from './program.ts';
import type { Program } from './program.ts';

/** A node of a Patroni cluster. Its Patroni starts and stops a Postgres. */
export interface PatroniNode extends Part {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  /** The path of the node’s configuration file, which the command `patronictl` needs. */
  readonly configuration: string;
  readonly output: string;
  /** The ids of the Postgres processes of the node, without Patroni. The postmaster comes first. */
  postgresPids(): Promise<readonly number[]>;
  /** Starts the node again after its end, on the same port. */
  start(): Promise<void>;
}

export interface Logins {
  readonly superuser: string;
  readonly replication: string;
  readonly rewind: string;
}

interface NodeOptions {
  readonly name: string;
  readonly dir: string;
  readonly etcdPort: number;
  readonly passwords: Logins;
  /**
   * If the leader of the Patroni cluster gives no sign of life for this number of seconds, it loses its role. Patroni
   * accepts no value below 20.
   */
  readonly ttl: number;
}

const BINARIES = '/usr/lib/postgresql/15/bin';

export async function createPatroniNode(options: NodeOptions): Promise<PatroniNode> {
  const { name, dir } = options;
  await findProgram('postgres', 'postgresql-15');
  const account = await accountOfPostgres();
  await makeFolderFor(account, dir);
  const [port, restPort] = [await findFreePort(0), await findFreePort(0)];
  const configuration = join(dir, 'patroni.json');
  // Patroni reads YAML, and JSON is valid YAML.
  await writeFile(configuration, JSON.stringify(configurationOf(options, port, restPort)), { mode: 0o600 });
  await makeReadable(configuration, account);
  let program: Program | undefined;
  const present = (): Program => {
    if (program === undefined) throw new Error(`${name} was not started`);
    return program;
  };
  return {
    ...{ name, port, restPort, configuration },
    get output() {
      return present().output;
    },
    pids: () => present().pids(),
    async postgresPids() {
      return (await present().pids()).filter((pid) => pid !== present().pid);
    },
    freeze: () => present().freeze(),
    resume: () => present().resume(),
    kill: () => present().kill(),
    close: () => program?.close() ?? Promise.resolve(),
    async start() {
      await rm(join(dir, 'data', 'postmaster.pid'), { force: true });
      program = await startProgram({
        ...{ program: 'patroni', package: 'patroni', args: [configuration], dir, account },
        answers: async () => (await fetch(`http://127.0.0.1:${restPort}/health`)).ok,
      });
    },
  };
}

async function makeReadable(file: string, account: Awaited<ReturnType<typeof accountOfPostgres>>) {
  const { chown } = await import('node:fs/promises');
  if (account !== undefined) await chown(file, account.uid, account.gid);
}

function configurationOf({ name, dir, etcdPort, passwords, ttl }: NodeOptions, port: number, restPort: number): object {
  const rest = `127.0.0.1:${restPort}`;
  const address = `127.0.0.1:${port}`;
  return {
    ...{ scope: 'taxclaims', name },
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        // Patroni must be able to renew the leader’s role in time: one loop and two retries together must not take
        // longer than the ttl.
        ...{ ttl, loop_wait: 2, retry_timeout: 5, maximum_lag_on_failover: 1_048_576 },
        // In synchronous mode, Patroni stores every acknowledged write on one standby too, and only this standby can
        // become the leader. Strict mode is needed because otherwise a leader without a standby would acknowledge
        // writes alone, and could lose them.
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 80 } },
      },
      initdb: [{ encoding: 'UTF8' }, 'data-checksums', { auth: 'scram-sha-256' }],
      pg_hba: [
        'local all all scram-sha-256',
        'host all all 127.0.0.1/32 scram-sha-256',
        'host replication replicator 127.0.0.1/32 scram-sha-256',
      ],
    },
    postgresql: {
      ...{ listen: address, connect_address: address, data_dir: join(dir, 'data'), bin_dir: BINARIES },
      ...{ pgpass: join(dir, 'pgpass'), parameters: { unix_socket_directories: dir } },
      authentication: {
        superuser: { username: 'postgres', password: passwords.superuser },
        replication: { username: 'replicator', password: passwords.replication },
        rewind: { username: 'rewinder', password: passwords.rewind },
      },
    },
  };
}
