import { z } from 'zod';
import type { Environment } from './parse.ts';
import * as value from './values.ts';

export const variablesSchema = z.object({
  SMTP_URL: value.smtpUrl.optional(),
  MAIL_FROM: value.mailFrom.default('Tax claims <reminders@localhost>'),
  REMINDERS_AT: value.timeOfDay.default({ time: '07:00', zone: value.REMINDERS_ZONE }),
  FRONTEND_URL: value.httpUrl.optional(),
});

export function buildConfig(values: z.output<typeof variablesSchema>) {
  return {
    /** Without a mail server the service sends no mails, unless `folder` is set: then it writes them there. */
    smtpUrl: values.SMTP_URL,
    folder: undefined as string | undefined,
    from: values.MAIL_FROM,
    sendAt: values.REMINDERS_AT,
    frontendUrl: values.FRONTEND_URL,
  };
}

export function* findConflicts({ SMTP_URL, MAIL_FROM, FRONTEND_URL }: Environment): Generator<string> {
  if (SMTP_URL && !MAIL_FROM) yield 'MAIL_FROM must be set where SMTP_URL is';
  if (SMTP_URL && !FRONTEND_URL) yield 'FRONTEND_URL must be set where SMTP_URL is';
}
