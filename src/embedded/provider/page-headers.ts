import type { Language } from './language.ts';

/**
 * The headers of every page: nothing is loaded but its own stylesheet, and nobody may frame it. A form may lead to the
 * application at `leadsTo` as well, since browsers hold its redirects against the policy, too.
 */
export function pageHeaders(language: Language, leadsTo?: string): Readonly<Record<string, string>> {
  const application = leadsTo === undefined ? '' : ` ${sourceOf(new URL(leadsTo))}`;
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    'img-src data:',
    // None is served; the provider adds the hash of the one that it writes itself, to send a form on.
    "script-src 'self'",
    `form-action 'self'${application}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Content-Language': language,
    'Cache-Control': 'no-store',
    // Not none at all: forms would then come from an origin of `null`.
    'Referrer-Policy': 'same-origin',
    Vary: 'Accept-Language',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

/** How a policy names an application: by its origin, or by the scheme of its own that a native one has. */
function sourceOf({ origin, protocol }: URL): string {
  return origin === 'null' ? protocol : origin;
}
