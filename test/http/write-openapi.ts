import { writeFile } from 'node:fs/promises';
import { parseProcessArguments } from '../../src/admin/commands/run-command.ts';
import { FILE, written } from './written-description.ts';

parseProcessArguments({ usage: 'usage: npm run openapi\n  --help, --version' });
await writeFile(FILE, written);
