import { writeFile } from 'node:fs/promises';
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { EXAMPLE, envExample } from './env-example.ts';

parseProcessArguments({ usage: 'usage: npm run env:example\n  --help, --version' });
await writeFile(EXAMPLE, await envExample());
