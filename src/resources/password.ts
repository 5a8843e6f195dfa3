import { z } from 'zod';
import { validationError, RequestError } from '../errors.ts';
import { endpoint } from '../http/endpoint.ts';
import { abortOnHangUp } from '../http/hang-up.ts';
import { ROLES } from '../identity/caller.ts';
import { hashPassword, hashPasswordWithSalt, isHashable, normalizePassword } from '../identity/password.ts';
import { rule } from '../problems.ts';
import { isPasswordSameAsEmail, PASSWORD_IS_EMAIL_RULE, password } from './users.ts';

const WRONG_PASSWORD = rule('wrong_password');

export const passwordEndpoint = endpoint({
  method: 'put',
  path: '/api/users/me/password',
  operationId: 'changePassword',
  summary: 'Change the caller’s own password; all tokens issued before are refused',
  tag: 'Users',
  resource: 'users',
  roles: ROLES,
  constraints: { users_without_password: { current_password: rule('no_password') } },
  body: z
    .strictObject({
      current_password: z.string(rule('not_text.password')).refine(isHashable, WRONG_PASSWORD).meta({
        type: 'string',
        format: 'password',
        maxLength: 72,
        writeOnly: true,
        description: 'Current password of the caller, at most 72 bytes in UTF-8.',
      }),
      password,
    })
    .refine(({ current_password, password }) => normalizePassword(current_password) !== normalizePassword(password), {
      path: ['password'],
      error: rule('weak_password.present'),
    })
    .meta({ id: 'PasswordChange', example: { current_password: 'lavande 2025', password: 'genêt et lavande' } }),
  responses: { 204: null },
  handle: async ({ body }, request) => {
    // A separate transaction stores the password attempt, so that the attempt counts even if the request fails later.
    const attempt = await request.run({
      text: 'select salt, email, retry_after from app.begin_password_change()',
      values: [],
    });
    const [salt, email, retryAfter] = attempt.rows[0] ?? [];
    if (typeof salt !== 'string' || typeof email !== 'string')
      throw new RequestError('ERROR_RATE_LIMITED', 'too many attempts at the present password', {
        kind: 'password',
        headers: { 'Retry-After': String(retryAfter) },
      });
    if (isPasswordSameAsEmail(body.password, email)) throw validationError('password', PASSWORD_IS_EMAIL_RULE);
    const [present, hash] = await abortOnHangUp(request.incoming, (signal) =>
      Promise.all([
        hashPasswordWithSalt(body.current_password, salt, { signal }),
        hashPassword(body.password, { signal }),
      ]),
    );
    const changed = await request.run({ text: 'select app.change_password($1, $2)', values: [present, hash] });
    if (changed.rows[0]?.[0] !== 't')
      throw new RequestError('ERROR_FORBIDDEN', 'the present password is another', {
        kind: 'password',
        problems: [{ field: 'current_password', rule: WRONG_PASSWORD }],
      });
    return { status: 204 };
  },
});
