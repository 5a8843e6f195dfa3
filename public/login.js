/* Logging in at the identity provider, by the code flow with PKCE, which oidc-client-ts knows. */

const SECONDS_AHEAD = 30;

/** What the page needs in order to log somebody in; undefined where the service knows of no provider for it. */
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
    // The service has read it: a provider need not let pages of elsewhere do so.
    metadata: metadata ?? {},
    client_id: clientId,
    redirect_uri: page,
    post_logout_redirect_uri: page,
    scope,
    extraQueryParams: { audience },
    // A fragment is sent to no server, where a log might keep the code.
    response_mode: 'fragment',
    userStore: store,
    stateStore: store,
    automaticSilentRenew: false,
    requestTimeoutInSeconds: 10,
  });
  let prompt;
  let renewing;

  /** Another token without anybody being asked; one at a time, since what renews it may be used once. */
  function renew() {
    renewing ??= manager.signinSilent().finally(() => (renewing = undefined));
    return renewing;
  }

  return {
    issuer,

    /** Whether the provider answered the service when this page was loaded. */
    isThere: metadata !== null,

    /** Leaves for the provider, which sends the browser back to what is open now. */
    begin: () => manager.signinRedirect({ state: location.hash, prompt }),

    /** Whether somebody just came back from the provider, or was logged in before a reload. */
    async isLoggedIn() {
      if (/[#&]state=/.test(location.hash)) await finish(manager);
      return (await manager.getUser()) !== null;
    },

    /** The token while it lasts, and then another where the provider gives one. */
    async token() {
      const user = await manager.getUser();
      const isOver = (user?.expires_in ?? Infinity) < SECONDS_AHEAD;
      return (isOver && user?.refresh_token ? await renew() : user)?.access_token ?? '';
    },

    /** Whether the provider gave another token, with the rights of now. */
    async renewed() {
      const user = await manager.getUser();
      return user?.refresh_token ? renew().then(Boolean, () => false) : false;
    },

    /** Lets the next login be somebody else's, although the provider still knows this one. */
    async forget() {
      prompt = 'login';
      await manager.removeUser();
    },

    /** Logs out here and at the provider, which sends the browser back. */
    async end() {
      try {
        await manager.signoutRedirect();
      } catch {
        // It has no such address, or does not answer: what is known here is forgotten all the same.
        await manager.removeUser();
        location.reload();
      }
    },
  };
}

async function finish(manager) {
  const returned = location.href;
  // Used once: neither a reload nor the history is to bring it back.
  history.replaceState(null, '', location.pathname);
  const { state } = await manager.signinCallback(returned);
  if (state) history.replaceState(null, '', state);
}
