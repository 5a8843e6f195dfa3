import { writeFile } from 'node:fs/promises';
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { PAGE, pageOfLimits } from './page.ts';

parseProcessArguments({ usage: 'usage: npm run limits:page\n  --help, --version' });
await writeFile(PAGE, await pageOfLimits());
