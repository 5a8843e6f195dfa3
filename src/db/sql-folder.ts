import { fileURLToPath } from 'node:url';

/** Returns a path below `db/`, which lies beside `src` in a checkout and beside `dist` in an image. */
export function sqlFolder(kind: string): string {
  return fileURLToPath(new URL(`../../db/${kind}`, import.meta.url));
}
