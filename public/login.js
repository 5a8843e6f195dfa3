/* The login at the identity provider: the authorization code flow with PKCE, by oidc-client-ts. */

const SECONDS_AHEAD = 30;

/** Returns the login of the page, or undefined if the service names no identity provider for it. */
export async function openLogin() {
  const answer = await fetch(new URL('login.json', import.meta.url));
  const settings = answer.ok ? await answer.json() : null;
  return settings === null ? undefined : loginAt(settings);
}

function loginAt({ issuer, clientId, scope, audience, metadata }) {
  const page = new URL('../docs', import.meta.url).href;
  const store = new oidc.WebStorageStateStore({ store: sessionStorage });
  const manager = new oidc.UserManager({
    authority: issuer,
    // The service has read the metadata, because many providers refuse requests from pages of other origins.
    metadata: metadata ?? {},
    client_id: clientId,
    redirect_uri: page,
    post_logout_redirect_uri: page,
    scope,
    extraQueryParams: { audience },
    // Browsers send a fragment to no server, so no log has the code.
    response_mode: 'fragment',
    userStore: store,
    stateStore: store,
    automaticSilentRenew: false,
    requestTimeoutInSeconds: 10,
  });
  let prompt;
  let renewing;

  /** Renews the token without a login form; one renewal at a time, because a refresh token works once. */
  function renew() {
    renewing ??= manager.signinSilent().finally(() => (renewing = undefined));
    return renewing;
  }

  return {
    issuer,

    /** True if the provider answered the service when the browser loaded this page. */
    isThere: metadata !== null,

    /** Opens the provider's login page, which sends the browser back to the operation that is open now. */
    begin: () => manager.signinRedirect({ state: location.hash, prompt }),

    /** True if the browser has just come back from the provider, or was logged in before a reload. */
    async isLoggedIn() {
      if (/[#&]state=/.test(location.hash)) await finish(manager);
      return (await manager.getUser()) !== null;
    },

    /** Returns the access token, renewed if it ends soon and the provider gives refresh tokens. */
    async token() {
      const user = await manager.getUser();
      const isOver = (user?.expires_in ?? Infinity) < SECONDS_AHEAD;
      return (isOver && user?.refresh_token ? await renew() : user)?.access_token ?? '';
    },

    /** True if the provider has given a new token, with the present rights. */
    async renewed() {
      const user = await manager.getUser();
      return user?.refresh_token ? renew().then(Boolean, () => false) : false;
    },

    /** Lets another user log in, although the provider's session still lasts. */
    async forget() {
      prompt = 'login';
      await manager.removeUser();
    },

    /** Logs out here and at the provider, which sends the browser back. */
    async end() {
      try {
        await manager.signoutRedirect();
      } catch {
        // The provider has no logout address or does not answer: the page deletes its tokens anyway.
        await manager.removeUser();
        location.reload();
      }
    },
  };
}

async function finish(manager) {
  const returned = location.href;
  // A code works once: neither a reload nor the history must bring it back.
  history.replaceState(null, '', location.pathname);
  const { state } = await manager.signinCallback(returned);
  if (state) history.replaceState(null, '', state);
}
