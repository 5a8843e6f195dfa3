import { writeFile } from 'node:fs/promises';
import { argumentsOf } from '../../src/commands/run-command.ts';
import { EXAMPLE, envExample } from './env-example.ts';

argumentsOf({ usage: 'usage: npm run env:example\n  --help, --version' });
await writeFile(EXAMPLE, await envExample());
