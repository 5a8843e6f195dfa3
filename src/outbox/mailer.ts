import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { REFUSED_ADDRESS_RETRY_MS, SMTP_CONNECT_TIMEOUT_MS } from '../limits.ts';
import { makeFolder } from '../make-folder.ts';

export interface Mail {
  /** Every attempt to send the mail has the same Message-ID, so that a mailbox drops a duplicate. */
  readonly messageId: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly language: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Sends a mail. Rejects with MailError, or with a disk error of the file mailer. */
export type Mailer = (mail: Mail, signal: AbortSignal) => Promise<void>;

export class MailError extends Error {
  override readonly name = 'MailError';
  /** `recipient` means that the mail server refuses only this mail; `server` means that every mail would fail. */
  readonly scope: 'recipient' | 'server';
  /** True if the connection broke before the mail server answered, so the server may have accepted the mail. */
  readonly isCutOff: boolean;
  readonly retryAfterMs: number;

  constructor(error: SmtpError) {
    const { code = '', command = '', responseCode = 0, syscall } = error;
    super(error.message, { cause: error });
    const isOfOneMail = ['RCPT TO', 'DATA'].includes(command) && responseCode > 421;
    const isUnusable = code === 'EENVELOPE' && command === 'API';
    this.scope = isOfOneMail || isUnusable ? 'recipient' : 'server';
    this.isCutOff = responseCode === 0 && NO_ANSWER_CODES.includes(code) && syscall !== 'connect';
    this.retryAfterMs = (isOfOneMail && responseCode >= 500) || isUnusable ? REFUSED_ADDRESS_RETRY_MS : 0;
  }
}

const NO_ANSWER_CODES = ['ECONNECTION', 'ETIMEDOUT', 'ESOCKET', 'EABORT', 'ESTREAM'];

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly syscall?: string;
}

/** Opens a connection for each mail, because a pool would resend a mail by itself after a lost connection. */
export function createSmtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    disableFileAccess: true,
    disableUrlAccess: true,
    socketCloseTimeout: 0,
    connectionTimeout: SMTP_CONNECT_TIMEOUT_MS,
    greetingTimeout: SMTP_CONNECT_TIMEOUT_MS,
    dnsTimeout: SMTP_CONNECT_TIMEOUT_MS,
  });
  return async (mail, signal) => {
    await transport.sendMail({ ...createMailOptions(mail, from), signal }).catch((error: unknown) => {
      throw new MailError(error as SmtpError);
    });
  };
}

/** Writes each mail to its own .eml file, which appears only when it is complete. */
export async function createFileMailer(folder: string, from: string): Promise<Mailer> {
  await makeFolder(folder, 0o700);
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return async (mail) => {
    const { message } = await transport.sendMail(createMailOptions(mail, from));
    const path = join(folder, `${mail.messageId}.eml`);
    await writeFile(`${path}.part`, message, { mode: 0o600 });
    await rename(`${path}.part`, path);
  };
}

function createMailOptions({ messageId, language, ...mail }: Mail, from: string) {
  const domain = /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? 'localhost';
  return {
    ...mail,
    from,
    messageId: `<${messageId}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', 'Content-Language': language },
  };
}
