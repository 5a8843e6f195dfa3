import { isIP } from 'node:net';
import { z } from 'zod';
import { readPostgresAddress } from '../postgres-address.ts';

export type DocumentStore =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const HOST_NAME_PATTERN = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;
const ORIGIN_PATTERN = /^https?:\/\/[^/?#@\\*\s]+$/i;
const S3_URL_PATTERN = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>[\w./-]*))?$/;
const TIME_OF_DAY_PATTERN = /^(?<time>(?:[01]\d|2[0-3]):[0-5]\d)(?: (?<zone>[A-Za-z][\w+/-]*))?$/;
const SCHEME_PATTERN = /^[a-z][a-z0-9+.-]+:/i;

// An error message completes a sentence that begins with the environment variable's name; it never shows the value.

export const text = z.string().regex(/^\S(.*\S)?$/, 'must be one line without blanks around it');

export const scope = text.regex(/(?:^| )openid(?: |$)/, 'must name openid');

export const host = z
  .string()
  .refine((value) => isIP(value) !== 0 || HOST_NAME_PATTERN.test(value), 'must be an IP address or a host name');

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

const SAMPLERS = ['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const;
export const sampler = z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`);

export const ratio = z
  .string()
  .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number);

export const logLevel = z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`);

export const postgresUrl = z.string().superRefine((value, context) => {
  const address = readPostgresAddress(value);
  if (typeof address === 'string') context.addIssue({ code: 'custom', message: address });
});

export const redisUrl = url(['redis:', 'rediss:'], 'must be a redis:// or rediss:// URL');

export const redisPrefix = z.string().regex(/^[\w.-]{1,50}$/, 'must be 1 to 50 letters, digits, or any of _ . -');

export const smtpUrl = url(['smtp:', 'smtps:'], 'must be an smtp:// or smtps:// URL');

export const mailFrom = z
  .string()
  .regex(
    /^(?:[^<>@\p{Cc}]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'must be an address, or a name and <an address>',
  );

export const REMINDERS_ZONE = 'Europe/Paris';

export const timeOfDay = z.string().transform((value, context) => {
  const { time, zone = REMINDERS_ZONE } = TIME_OF_DAY_PATTERN.exec(value)?.groups ?? {};
  if (time !== undefined && isZone(zone)) return { time, zone };
  return rejectValue(context, 'must be a time as in 07:00, or a time and its zone as in 07:00 Europe/Paris');
});

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const httpUrl = url(['http:', 'https:'], 'must be an http:// or https:// URL').refine((value) => {
  const { username, password } = URL.parse(value) ?? {};
  return username === '' && password === '';
}, 'must not contain a user or a password');

/** The path without a slash at its end, so that `/api/…` can follow it. */
export const publicPath = text
  .regex(/^(?:(?:\/[a-z0-9_~-][a-z0-9._~-]*)+\/?)?$/i, 'must be a path as in /tax')
  .transform((value) => value.replace(/\/$/, ''));

export const origins = z.string().transform((value, context) => {
  const items = value.split(',').map((item) => item.trim());
  if (items.every((item) => ORIGIN_PATTERN.test(item) && URL.canParse(item)))
    return [...new Set(items.map((item) => new URL(item).origin))];
  return rejectValue(
    context,
    'must be a comma-separated list of origins, scheme://host or scheme://host:port, without *',
  );
});

export const documentStore = text.transform((value, context): DocumentStore => {
  const { bucket, prefix = '' } = S3_URL_PATTERN.exec(value)?.groups ?? {};
  if (bucket !== undefined) return { kind: 's3', bucket, prefix: prefix.replace(/^\/+|\/+$/g, '') };
  if (!SCHEME_PATTERN.test(value)) return { kind: 'folder', path: value };
  return rejectValue(context, 'must be a folder or s3://bucket/prefix');
});

export function integer(least: number, most: number): z.ZodType<number, string> {
  return z
    .string()
    .refine(
      (value) => /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most,
      `must be an integer from ${least} to ${most}`,
    )
    .transform(Number);
}

/** How many whole months the audit log keeps its records: docs/decisions/personal-data.md */
export const retentionMonths = integer(1, 1_200).default(60);

/** True for an http:// or https:// URL without a query or a fragment, so that a path can be appended. */
export function isPlainHttpUrl(value: string): boolean {
  return httpUrl.safeParse(value).success && !/[?#]/.test(value);
}

function url(protocols: readonly string[], message: string): z.ZodString {
  return z.string().refine(
    // Refuses blanks before parsing the URL, because the URL class drops blanks and line breaks.
    (value) => !/\s/.test(value) && protocols.includes(URL.parse(value)?.protocol ?? ''),
    { error: message, abort: true },
  );
}

function rejectValue(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
