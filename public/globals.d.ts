/* What the scripts of libraries, which docs.html loads before the page's own, put into every script's reach. */

declare const oidc: typeof import('oidc-client-ts');

/** Swagger UI has no types of its own: what it takes and gives, as far as the page uses it. */
declare function SwaggerUIBundle(options: Readonly<Record<string, unknown>>): {
  readonly layoutActions: { updateFilter(words: string): void };
};
