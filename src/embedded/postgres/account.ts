import { stat } from 'node:fs/promises';
import { platform } from 'node:os';
import type { Binaries } from './binaries.ts';
import { run } from './command.ts';

/** As whom the server runs: Postgres refuses to run as root, and makes no cluster for a user without a name. */
export interface Account {
  /** What stands before each command. */
  readonly prefix: readonly string[];
  /** The owner that the cluster's files must have. */
  readonly uid: number;
}

const ROOT = 0;
/** Has a name wherever there are user namespaces: it is what the kernel shows for whoever has no number in one. */
const NOBODY = 65_534;

/**
 * Chooses the account for a cluster; `cluster` need not exist yet.
 * @throws Error when Postgres can run as nobody that this user may become.
 */
export async function chooseAccount(cluster: string, binaries: Binaries): Promise<Account> {
  const uid = process.geteuid?.() ?? ROOT;
  const owner = await ownerOf(cluster);
  const refusals: string[] = [];
  for (const account of uid === ROOT ? accountsForRoot(owner) : accountsFor(uid)) {
    const refusal = await refusalOf(account, cluster, owner !== undefined, binaries);
    if (refusal === undefined) return account;
    refusals.push(refusal);
  }
  throw new Error(
    uid === ROOT
      ? 'Postgres does not run as root, and neither unshare nor setpriv can run it as somebody else here: ' +
        `start as an ordinary user, or set DATABASE_URL (${refusals.join('; ')}).`
      : `Postgres cannot be run by the user ${String(uid)}: ${refusals.join('; ')}; start as another user, or set DATABASE_URL.`,
  );
}

function accountsForRoot(owner: number | undefined): Account[] {
  if (platform() !== 'linux') return [];
  if (owner === undefined) return [otherName(ROOT), ...otherUser(NOBODY)];
  return owner === ROOT ? [otherName(ROOT)] : otherUser(owner);
}

function accountsFor(uid: number): Account[] {
  const own = { prefix: [], uid };
  return platform() === 'linux' ? [own, otherName(uid)] : [own];
}

/** A user namespace in which the user goes by another number: no system user, and the files stay the user's. */
function otherName(uid: number): Account {
  const number = String(NOBODY);
  return { prefix: ['unshare', '--user', `--map-user=${number}`, `--map-group=${number}`], uid };
}

/**
 * The capability lets it pass the 0700 folders above the cluster and above its programs, which may be root's. That
 * Postgres can execute itself it asks with access(2), which believes the capability of another than root only where
 * a change of the user leaves capabilities alone.
 */
function otherUser(uid: number): Account[] {
  const identity = ['setpriv', `--reuid=${String(uid)}`, `--regid=${String(uid)}`, '--clear-groups'];
  const passing = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return [
    { prefix: [...identity, ...passing, '--securebits=+no_setuid_fixup'], uid },
    { prefix: [...identity, ...passing], uid },
  ];
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.uid;
}

/** Asks Postgres's own programs, which know best what they need: it looks up a name only to make a cluster. */
async function refusalOf(
  { prefix }: Account,
  cluster: string,
  exists: boolean,
  { initdb, postgres }: Binaries,
): Promise<string | undefined> {
  const command = exists ? [postgres, '--version'] : [initdb, '--show', `--pgdata=${cluster}`];
  return run(command, { prefix }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
