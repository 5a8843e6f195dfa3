/** What each group of endpoints is about, as the description says it. */
export const TAGS: Readonly<Record<string, string>> = {
  Health: 'Whether the service can serve, for whoever watches it.',
  Authentication: 'Who the caller is: the identity provider’s token, and what it says.',
  Users: 'Who works with the service, in which role, and for which clients.',
  Clients: 'The companies whose taxes are claimed back; everything else belongs to one of them.',
  Sites: 'The places of a client that are taxed.',
  Cadastres: 'The parcels of the land register that a site has.',
  Reclamations: 'The claims, from the draft to the refund, and how each has moved.',
  Deadlines: 'What runs out when, of claims and invoices.',
  Documents: 'The files that are attached to a claim.',
  Partners: 'Who brings clients or works for them, and is paid for it.',
  Invoices: 'What the firm bills its clients.',
  'Partner invoices': 'What partners bill the firm; clients never see it.',
  Audit: 'What was written and what was refused, and whose request it was.',
  Description: 'This description.',
};
