import { ConfigError, loadConfig } from '../config.ts';
import { AHEAD_MS, rotateKeys } from '../embedded/provider/keys.ts';
import { runCommand } from './run-command.ts';

const USAGE = `usage: npm run identity:rotate
Makes a new signing key of the embedded identity provider, and says when it signs.
  --help, --version`;

await runCommand({ usage: USAGE, failed: 1 }, async () => {
  if (process.env['AUTH_ISSUER']) {
    throw new ConfigError(
      'AUTH_ISSUER is set: that provider has keys of its own, and the embedded one signs nothing',
    );
  }
  const { dataDir } = loadConfig(process.env);
  const { kid, madeAt } = await rotateKeys(dataDir);
  const from = new Date(madeAt + AHEAD_MS).toISOString();
  process.stdout.write(`The key ${kid} is published now and signs from ${from} on; no token ends.\n`);
  return undefined;
});
