import { expect, test } from '@jest/globals';
import { isValidSubject } from '../src/identity/subject.ts';
import { describeDifferences } from '../src/outbox/compare.ts';
import { shortenToSingleLine } from '../src/single-line.ts';

/* Text of others that leaves the service: in mails, calendars, the log and what a command prints. */

test.each([
  { text: 'Mairie', max: 6, line: 'Mairie' },
  { text: 'Mairie', max: 5, line: 'Mairi…' },
  { text: 'a b c', max: 2, line: 'a…' },
  { text: ' a\r\nb\tc ', max: 9, line: 'a b c' },
  { text: 'a\u202Eb\u2066c\u0000\u009Bd', max: 9, line: 'a b c d' },
  { text: '😀😀😀', max: 2, line: '😀😀…' },
  { text: '\u001B[2J\u001B[H', max: 9, line: '[2J [H' },
])('$text is shortened to $line for $max characters', ({ text, max, line }) => {
  expect(shortenToSingleLine(text, max)).toBe(line);
});

test('identity:sync prints the role of the provider in one short line without control characters', () => {
  const ours = { role: 'CLIENT', clientAccess: [], isActive: true };
  const [line = ''] = describeDifferences(ours, { ...ours, role: `\u001B[2J\n0 users compared${'!'.repeat(99)}` });
  expect(line).toMatch(/^role: CLIENT here, \[2J 0 users compared!{30}… there$/);
});

test.each(['.', '..'])('the subject %s is refused, because a path of the provider would lose it', (subject) => {
  expect(isValidSubject(subject)).toBe(false);
  expect(isValidSubject(`${subject}a`)).toBe(true);
});
