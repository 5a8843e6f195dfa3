-- Functions that migrations made, which are not made anew.
comment on function app.access_digest(text, uuid[]) is
    'MD5 of a role and a set of clients: equal rights, equal texts. The API works out the same from a token.';
comment on function app.is_siret(text) is
    'Whether a text is a SIRET: 14 digits whose Luhn sum is a multiple of ten, or the plain sum of five for La Poste.';
