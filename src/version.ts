import { readFileSync } from 'node:fs';

const packageJson = readFileSync(new URL('../package.json', import.meta.url), 'utf8');

export const { version: VERSION } = JSON.parse(packageJson) as { readonly version: string };
