import { fileURLToPath } from 'node:url';

/** Where the SQL of a kind lies: beside `src` in a checkout, beside `dist` in an image. */
export function sqlFolder(kind: string): string {
  return fileURLToPath(new URL(`../../db/${kind}`, import.meta.url));
}
