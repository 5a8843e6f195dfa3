import { loadConfig } from '../config.ts';
import { AHEAD_MS, rotateKeys } from '../embedded/provider/keys.ts';

/** `npm run identity:rotate`: makes a new signing key of the embedded identity provider, and says when it signs. */
try {
  if (process.env['AUTH_ISSUER']) {
    throw new Error(
      'AUTH_ISSUER is set: that provider has keys of its own, and the embedded one signs nothing',
    );
  }
  const { dataDir } = loadConfig(process.env);
  const { kid, madeAt } = await rotateKeys(dataDir);
  const from = new Date(madeAt + AHEAD_MS).toISOString();
  process.stdout.write(`The key ${kid} is published now and signs from ${from} on; no token ends.\n`);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
