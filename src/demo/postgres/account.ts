import { stat } from 'node:fs/promises';
import { platform } from 'node:os';
import { runProgram } from './command.ts';

/** A user id, and the command prefix to run programs under this id. Postgres refuses root and a user without a name. */
export interface OsAccount {
  readonly prefix: readonly string[];
  readonly uid: number;
}

const ROOT_UID = 0;
/** The id of the user `nobody`, which every Linux has, because the kernel shows this id for unmapped users. */
const NOBODY_UID = 65_534;

export async function chooseAccount(
  cluster: string,
  { initdb, postgres }: Readonly<Record<'initdb' | 'postgres', string>>,
): Promise<OsAccount> {
  const uid = process.geteuid?.() ?? ROOT_UID;
  const owner = (await stat(cluster).catch(() => undefined))?.uid;
  // Tries each account with initdb if no cluster exists, because initdb needs the user's name; otherwise with postgres.
  const trial = owner === undefined ? [initdb, '--show', `--pgdata=${cluster}`] : [postgres, '--version'];
  const failures: string[] = [];
  for (const account of listCandidateAccounts(uid, owner)) {
    try {
      await runProgram(trial, account);
      return account;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    uid === ROOT_UID
      ? 'Postgres does not run as root, and neither unshare nor setpriv can run it as another user here: ' +
        `start as an ordinary user, or set DATABASE_URL (${failures.join('; ')}).`
      : `Postgres cannot be run by the user ${uid}: ${failures.join('; ')}; start as another user, or set DATABASE_URL.`,
  );
}

function listCandidateAccounts(uid: number, owner: number | undefined): OsAccount[] {
  if (uid !== ROOT_UID) return [{ prefix: [], uid }, ...listMappedUserAccounts(uid)];
  if (owner === undefined) return [...listMappedUserAccounts(ROOT_UID), ...listOtherUserAccounts(NOBODY_UID)];
  return owner === ROOT_UID ? listMappedUserAccounts(ROOT_UID) : listOtherUserAccounts(owner);
}

function listMappedUserAccounts(uid: number): OsAccount[] {
  if (platform() !== 'linux') return [];
  return [{ prefix: ['unshare', '--user', `--map-user=${NOBODY_UID}`, `--map-group=${NOBODY_UID}`], uid }];
}

/**
 * With the capability CAP_DAC_OVERRIDE, Postgres can reach a cluster and programs in folders that only root may enter.
 * Postgres checks folders with access(2), which ignores capabilities without the securebit no_setuid_fixup. Some
 * systems refuse to set a securebit, so the service also tries Postgres without it.
 */
function listOtherUserAccounts(uid: number): OsAccount[] {
  if (platform() !== 'linux') return [];
  const setpriv = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const prefix = [...setpriv, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  return [
    { prefix: [...prefix, '--securebits=+no_setuid_fixup'], uid },
    { prefix, uid },
  ];
}
