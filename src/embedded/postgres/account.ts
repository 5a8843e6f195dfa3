import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { run } from './command.ts';

/** As whom the server runs: Postgres refuses to run as root. */
export interface Account {
  /** What stands before each command. */
  readonly prefix: readonly string[];
  /** The owner that the cluster's files must have. */
  readonly uid: number;
}

const ROOT = 0;
const NOBODY = 65_534;

/**
 * Chooses the account for a cluster; `cluster` need not exist yet.
 * @throws Error when root has no means to run a program as somebody else.
 */
export async function chooseAccount(cluster: string): Promise<Account> {
  const { uid } = userInfo();
  if (uid !== ROOT) return { prefix: [], uid };
  for (const account of accountsForRoot(await ownerOf(cluster))) {
    if (await works(account)) return account;
  }
  throw new Error(
    'Postgres does not run as root, and neither unshare nor setpriv can run it as somebody else here: ' +
      'start as an ordinary user, or set DATABASE_URL.',
  );
}

function accountsForRoot(owner: number | undefined): Account[] {
  if (owner === undefined) return [otherName(), otherUser(NOBODY)];
  return owner === ROOT ? [otherName()] : [otherUser(owner)];
}

/** A user namespace in which root goes by another number: no system user, and the files stay root's. */
function otherName(): Account {
  return { prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'], uid: ROOT };
}

/** The capability lets it pass the 0700 folders above the cluster, which may be root's. */
function otherUser(uid: number): Account {
  const identity = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  return {
    prefix: ['setpriv', ...identity, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
    uid,
  };
}

async function ownerOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.uid;
}

async function works({ prefix }: Account): Promise<boolean> {
  return run([...prefix, 'true']).then(
    () => true,
    () => false,
  );
}
