import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

/* This module has an SMTP server whose faults a test chooses, and keeps the mails that the server accepted. */

export interface Received {
  readonly to: readonly string[];
  readonly raw: string;
  readonly mail: ParsedMail;
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

export class Refused extends Error {
  readonly responseCode: number;
  constructor(responseCode: number, words: string) {
    super(words);
    this.responseCode = responseCode;
  }
}

export async function startMailServer() {
  const received: Received[] = [];
  const takes = () => Promise.resolve();
  const faults = {
    /**
     * The test’s mail server calls this function before it answers MAIL FROM. To make the mail server fail, a test sets
     * a function that throws Refused or never ends.
     */
    sender: takes,
    recipient: takes as (address: string) => Promise<void>,
    /** The test’s mail server calls this function when a mail is complete, before the mail counts as accepted. */
    data: takes as (address: string) => Promise<void>,
    /** The test’s mail server calls this function when it has accepted a mail, before it says so to the client. */
    answer: takes,
  };
  let port = 0;
  let server: SMTPServer | undefined;

  async function start(): Promise<void> {
    server = new SMTPServer({
      ...{ authOptional: true, disabledCommands: ['STARTTLS', 'AUTH'], disableReverseLookup: true },
      ...{ logger: false, closeTimeout: 1 },
      onMailFrom: (_address, _session, callback) => {
        faults.sender().then(() => {
          callback();
        }, callback);
      },
      onRcptTo: ({ address }, _session, callback) => {
        faults.recipient(address).then(() => {
          callback();
        }, callback);
      },
      onData: (stream, { envelope }, callback) => {
        const to = envelope.rcptTo.map(({ address }) => address);
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.once('end', () => {
          const raw = Buffer.concat(pieces);
          faults
            .data(to[0] ?? '')
            .then(() => simpleParser(raw))
            .then((mail) => void received.push({ to, raw: raw.toString(), mail }))
            .then(() => faults.answer())
            .then(() => {
              callback();
            }, callback);
        });
      },
    });
    // The mail server ignores errors of a connection, because some tests let the client disconnect in the middle of a
    // mail.
    server.on('error', () => undefined);
    server.listen(port, '127.0.0.1');
    await once(server.server, 'listening');
    port = (server.server.address() as AddressInfo).port;
  }

  /** Cuts every connection of the mail server and stops listening. */
  async function kill(): Promise<void> {
    const killed = server;
    server = undefined;
    if (killed === undefined) return;
    for (const connection of killed.connections) (connection as { _socket?: { destroy(): void } })._socket?.destroy();
    await new Promise<void>((resolve) => {
      killed.close(() => {
        resolve();
      });
    });
  }

  await start();
  return {
    received,
    faults,
    start,
    kill,
    url: `smtp://127.0.0.1:${String(port)}`,
    reset(): void {
      received.length = 0;
      Object.assign(faults, { sender: takes, recipient: takes, data: takes, answer: takes });
    },
    close: kill,
  };
}
