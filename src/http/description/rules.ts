import { readTextKey, type ProblemTextKey } from '../../problems.ts';
import type { AnyEndpoint } from './responses.ts';

/**
 * The rules that a database constraint checks, as sentences for the description of an operation. The problem with the
 * same key is the message to a caller who broke the rule.
 */
const RULE_SENTENCES: Readonly<Partial<Record<ProblemTextKey, string>>> = {
  above_amount: '`{field}` must not exceed `amount`.',
  before_issue_date: '`{field}` must not lie before `issue_date`.',
  erased: 'An erased user cannot be changed.',
  last_client: 'The last client of an ADMIN cannot be removed, because an empty list gives an ADMIN every client.',
  'last_administrator.token':
    'A login must not take away the rights of the last active ADMIN with access to every client.',
  no_password: 'Only a caller whose password the service stores can change it here.',
  'no_such_record.clients': 'All clients of the user must exist.',
  not_an_email: '`{field}` must be a valid email address.',
  not_assignable: '`{field}` must be an active user with access to the client.',
  'not_assignable.task':
    '`{field}` must be an active user with access to the client, and not a CLIENT if the note is internal.',
  not_of_kind: '`{field}` is required for a credit note, and allowed only for one.',
  not_paid: '`{field}` is allowed only for a paid invoice.',
  not_stored: 'The caller must have logged in before.',
  of_another_client: '`{field}` must be a record of the same client.',
  other_rights: 'The rights in the token must be those that the service has stored.',
  'required.issued': '`{field}` must be given once the invoice is issued.',
  'required.task': '`{field}` is required for a task, which is a note with `assignee_id` or `done_at`.',
  taken: '`{field}` must not be the email of another user.',
  'taken.next_number': 'An invoice cannot be issued while another invoice has its number.',
  'taken.number': '`{field}` must be unique per partner and client.',
  'taken.parcel': 'A site cannot have the same parcel twice.',
  'taken.subject': 'The subject of the token must not be the id of another user.',
  'taken.token_email': 'The email in the token must not be that of another user.',
  wrong_sum: '`{field}` must be the sum of `amount_excl_tax` and `vat_amount`.',
};

/** @throws Error if a rule of a constraint has no sentence in RULE_SENTENCES */
export function describeConstraintRules({ constraints = {} }: AnyEndpoint): string[] {
  const rules = Object.values(constraints).flatMap((one) =>
    Object.entries(one).map(([field, rule]) => {
      const key = readTextKey(rule);
      const sentence = RULE_SENTENCES[key];
      if (sentence === undefined) throw new Error(`RULE_SENTENCES has no sentence for ${key}`);
      return sentence.replace('{field}', field);
    }),
  );
  return rules.length === 0 ? [] : ['Rules:', ...new Set(rules)];
}
