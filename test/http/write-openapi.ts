import { writeFile } from 'node:fs/promises';
import { argumentsOf } from '../../src/commands/run-command.ts';
import { FILE, written } from './written-description.ts';

argumentsOf({ usage: 'usage: npm run openapi\n  --help, --version' });
await writeFile(FILE, written);
