import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { createSmtpMailer } from '../../src/outbox/mailer.ts';
import { forSuite } from '../support/suite.ts';

/*
 * These tests check that the service’s mail client uses only the numeric code of a mail server’s answer, and not the
 * text.
 */

let replies: Readonly<Record<string, string>> = {};
let mails = 0;
const server = createServer((socket) => {
  let isInMail = false;
  let text = '';
  const reply = (command: string, usual: string) => socket.write(`${replies[command] ?? usual}\r\n`);
  reply('greeting', '220');
  socket.setEncoding('latin1').on('error', () => undefined);
  socket.on('data', (more: string) => {
    text += more;
    const end = isInMail ? '\r\n.\r\n' : '\r\n';
    while (text.includes(end) && !socket.destroyed) {
      const [line = ''] = text.split(end, 1);
      text = text.slice(line.length + end.length);
      const command = isInMail ? 'mail' : (/^\w+/.exec(line)?.[0].toUpperCase() ?? '');
      isInMail = command === 'DATA' && (replies['DATA'] ?? '354').startsWith('354');
      if (command === 'mail') mails += 1;
      reply(command, command === 'DATA' ? '354' : '250');
      if (isInMail) return;
    }
  });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
await forSuite(server);
const send = createSmtpMailer(`smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, 'cabinet@b.example');

const mail = {
  ...{ messageId: 'a', to: { name: 'Ada', address: 'ada@b.example' }, language: 'fr' },
  ...{ subject: 'Rappel', text: 'Bonjour', html: '<p>Bonjour' },
};

async function outcomeWith(answers: Readonly<Record<string, string>>): Promise<unknown> {
  replies = answers;
  mails = 0;
  return send(mail, AbortSignal.timeout(20_000)).catch((error: unknown) => error);
}

test.each([
  ['codes alone', {}],
  ['a greeting of several lines', { greeting: '220-here\r\n220-is\r\n220 a server' }],
  ['no extended greeting', { EHLO: '502' }],
  ['unknown extensions', { EHLO: '250-here\r\n250-SIZE many\r\n250-AUTH\r\n250-X-UNKNOWN \u0001\r\n250 ' }],
  ['nonsense after each code', { MAIL: '250 \u0007no', RCPT: '251 \u009b', DATA: '354 550', mail: '250 4.0.0 failed' }],
])('the service can send a mail to a mail server that answers with %s', async (_with, answers) => {
  expect([await outcomeWith(answers), mails]).toEqual([undefined, 1]);
});

test.each([
  ['the recipient with a code without text', { RCPT: '550' }, { scope: 'recipient' }],
  ['the mail in several lines', { mail: '554-no\r\n554-really\r\n554 no' }, { scope: 'recipient' }],
  ['the sender with a code without text', { MAIL: '550' }, { scope: 'server', retryAfterMs: 0 }],
  ['the connection with a greeting that has no code', { greeting: 'nonsense' }, { scope: 'server', retryAfterMs: 0 }],
  ['the recipient with an answer that has no code', { RCPT: 'nonsense' }, { scope: 'server', retryAfterMs: 0 }],
])('the service notices that a mail server refuses %s', async (_what, answers, error) => {
  expect([await outcomeWith(answers), mails]).toMatchObject([
    { name: 'MailError', isCutOff: false, ...error },
    expect.any(Number),
  ]);
});
