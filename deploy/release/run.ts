import { execFileSync } from 'node:child_process';
import { runCommand } from '../../src/admin/commands/run-command.ts';
import { VERSION } from '../../src/version.ts';
import { entryOf, objectionsToEntry, otherVersions, read } from './check.ts';

const command = {
  usage: `usage: npm run release -- [options]
Tags the checked out revision as the version of package.json, with its entry in CHANGELOG.md as the message. Refuses a
version without its entry, files that name another version, and a checkout with changes.
  --check   only say what is in the way
  --help, --version
Exit codes: 0 tagged, or nothing is in the way; 1 refused, the message says why; 2 a wrong argument.`,
  failureExitCode: 1,
  options: { check: { type: 'boolean', default: false } },
} as const;

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' });

await runCommand(command, async ({ values: { check } }) => {
  const changelog = await read('CHANGELOG.md');
  const objections = [...objectionsToEntry(changelog, VERSION), ...(await otherVersions(VERSION))];
  if (!check && git('status', '--porcelain') !== '') objections.push('the checkout has changes that are no commit');
  if (objections.length > 0) throw new Error(objections.join('\n'));
  if (!check)
    git('tag', '--annotate', `v${VERSION}`, '--message', `${VERSION}\n\n${entryOf(changelog, VERSION) ?? ''}`);
  process.stdout.write(check ? `${VERSION} can be released\n` : `v${VERSION} is tagged: git push origin v${VERSION}\n`);
});
