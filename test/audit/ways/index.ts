import { CODE } from './code.ts';
import { LOGINS } from './logins.ts';
import { RELATIONS } from './relations.ts';
import type { Way } from './way.ts';

export const WAYS: readonly Way[] = [...CODE, ...RELATIONS, ...LOGINS];

/** Findings about the server as a whole, which are tried by themselves. */
export const OF_SERVER: readonly string[] = ['other_database_open', 'setting_of_server'];
