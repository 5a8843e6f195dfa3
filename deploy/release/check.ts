import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Files that name the version of the service, as package.json does. Each has a pattern that finds all places where the
 * version is named.
 */
const PLACES = {
  'package-lock.json': /^ {2}(?: {4})?"version": "(.*)",$(?=\n {2}"lockfileVersion"|\n {6}"license": "UNLICENSED")/gm,
  Dockerfile: /org\.opencontainers\.image\.version="(.*)"/g,
  'docker-compose.yml': /image: taxclaims:(\S+)/g,
  'deploy/compose/docker-compose.yml': /image: taxclaims:(\S+)/g,
};

export const read = (path: string): Promise<string> => readFile(join(ROOT, path), 'utf8');

/** Returns the files that name another version of the service than package.json does; empty if there are none. */
export async function otherVersions(version: string): Promise<string[]> {
  const objections: string[] = [];
  for (const [path, pattern] of Object.entries(PLACES)) {
    const found = [...(await read(path)).matchAll(pattern)].map(([, its = '']) => its);
    const others = found.filter((its) => its !== version);
    if (found.length === 0) objections.push(`${path} names no version`);
    if (others.length > 0) objections.push(`${path} names ${others.join(', ')}`);
  }
  return objections;
}

/** Returns the part of CHANGELOG.md that describes a version. */
export function entryOf(changelog: string, version: string): string | undefined {
  return changelog
    .split(/^## /m)
    .find((part) => part.startsWith(`${version}\n`))
    ?.slice(version.length)
    .trim();
}

/** Returns in words why CHANGELOG.md is not ready for the release of a version. */
export function objectionsToEntry(changelog: string, version: string): string[] {
  const objections: string[] = [];
  const [, first = ''] = /^## (.*)$/m.exec(changelog) ?? [];
  const entry = entryOf(changelog, version);
  if (!/^\d+\.\d+\.\d+$/.test(version)) objections.push(`package.json has ${version}, which is no version as 2.0.0 is`);
  if (entry === undefined) objections.push(`CHANGELOG.md has no entry for ${version}`);
  else if (!/^### Upgrading(?:\n|$)/.test(entry))
    objections.push(`the entry for ${version} does not begin with "### Upgrading"`);
  else if (!/^### Upgrading\n+(?!#)\S/.test(entry))
    objections.push(`the entry for ${version} says nothing below "### Upgrading"`);
  if (entry !== undefined && first !== version) objections.push(`CHANGELOG.md has "${first}" above ${version}`);
  return objections;
}
