import { expect, test } from '@jest/globals';
import { renderAuditText } from '../src/admin/audit/text.ts';
import { oneLineReason } from '../src/single-line.ts';
import { isValidSubject } from '../src/identity/subject.ts';
import { describeDifferences } from '../src/admin/compare-rights.ts';
import { shortenToSingleLine } from '../src/single-line.ts';

/*
 * These tests check that texts of users and other programs become one line in mails, calendars, the log and the output
 * of commands.
 */

test.each([
  { text: 'Mairie', max: 6, line: 'Mairie' },
  { text: 'Mairie', max: 5, line: 'Mairi…' },
  { text: 'a b c', max: 2, line: 'a…' },
  { text: ' a\r\nb\tc ', max: 9, line: 'a b c' },
  { text: 'a\u202Eb\u2066c\u0000\u009Bd', max: 9, line: 'a b c d' },
  { text: '😀😀😀', max: 2, line: '😀😀…' },
  { text: '\u001B[2J\u001B[H', max: 9, line: '[2J [H' },
])('the service shortens the text $text to the line $line of at most $max characters', ({ text, max, line }) => {
  expect(shortenToSingleLine(text, max)).toBe(line);
});

test('a command prints an error of another program in one line without control characters', () => {
  const error = new Error('ERROR:  \u001B[2Jrelation\u202E\n\tdoes not exist\u0000\u009B');
  expect(oneLineReason(error)).toBe('ERROR: [2Jrelation does not exist');
  expect(oneLineReason(new AggregateError([error, 'a\u0007b']))).toBe('ERROR: [2Jrelation does not exist; a b');
});

test('db:audit prints no line break and no control character from the names of database objects', () => {
  const name = 'a\nNo finding.\nNo drift: \u001B[2J\u202E';
  const text = renderAuditText({
    ...{ database: name, server: '18', matrix: [], isDriftRead: true, auditDifferences: [name] },
    findings: [{ level: 'error', finding: name, object: name, detail: name, remedy: name, who: 'dba' }],
    ofProvider: [{ level: 'error', finding: name, object: name, detail: name, remedy: name, who: 'provider' }],
    drift: [{ kind: name, object: name, change: 'added', applied: name, present: name }],
    accepted: [
      {
        ...{ what: name, object: name, asItStood: name, reason: name },
        ...{ acceptedBy: name, acceptedOn: '2026-01-01', stillStands: true },
      },
    ],
  });
  expect(text).toContain('a No finding. No drift:');
  expect(text).not.toMatch(/^No (?:finding|drift)|(?!\n)[\p{Cc}\u202E]/mu);
});

test('identity:sync prints a role from the identity provider in one short line without control characters', () => {
  const ours = { role: 'CLIENT', clientAccess: [], isActive: true };
  const [line = ''] = describeDifferences(ours, { ...ours, role: `\u001B[2J\n0 users compared${'!'.repeat(99)}` });
  expect(line).toMatch(/^role: CLIENT here, \[2J 0 users compared!{30}… there$/);
});

test.each(['.', '..'])(
  'a user’s subject cannot be %s, because the path of a request to the identity provider would lose it',
  (subject) => {
    expect(isValidSubject(subject)).toBe(false);
    expect(isValidSubject(`${subject}a`)).toBe(true);
  },
);
