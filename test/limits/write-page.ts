import { writeFile } from 'node:fs/promises';
import { argumentsOf } from '../../src/commands/run-command.ts';
import { PAGE, pageOfLimits } from './page.ts';

argumentsOf({ usage: 'usage: npm run limits:page\n  --help, --version' });
await writeFile(PAGE, await pageOfLimits());
