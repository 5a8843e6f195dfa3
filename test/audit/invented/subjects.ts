import type { Breakage, Ordinary } from './breakage.ts';
import { auditItself } from './audit-itself.ts';
import { catalogsByHand } from './catalogs-by-hand.ts';
import { constraintsAndIndexes } from './constraints-and-indexes.ts';
import { extensionsAndServers } from './extensions-and-servers.ts';
import { functions } from './functions.ts';
import { operatorsCastsTypes } from './operators-casts-types.ts';
import { ordinary } from './ordinary.ts';
import { otherSchemasAndCopies } from './other-schemas-and-copies.ts';
import { policies } from './policies.ts';
import { publicationsAndEvents } from './publications-and-events.ts';
import { rights } from './rights.ts';
import { rolesAndMemberships } from './roles-and-memberships.ts';
import { rowsByHand } from './rows-by-hand.ts';
import { settings } from './settings.ts';
import { tablesAndColumns } from './tables-and-columns.ts';
import { triggersAndRules } from './triggers-and-rules.ts';

/** Every action, by what it is done to. */
export const ACTIONS: Readonly<Record<string, readonly (Breakage | Ordinary)[]>> = {
  rights,
  policies,
  functions,
  'triggers-and-rules': triggersAndRules,
  'tables-and-columns': tablesAndColumns,
  'constraints-and-indexes': constraintsAndIndexes,
  'roles-and-memberships': rolesAndMemberships,
  settings,
  'other-schemas-and-copies': otherSchemasAndCopies,
  'catalogs-by-hand': catalogsByHand,
  'extensions-and-servers': extensionsAndServers,
  'operators-casts-types': operatorsCastsTypes,
  'publications-and-events': publicationsAndEvents,
  'audit-itself': auditItself,
  'rows-by-hand': rowsByHand,
  ordinary,
};
