import type { DOCS_CLIENT, FRONTEND_CLIENT } from './clients.ts';
import type { Language } from './language.ts';

/** Why somebody is still not logged in: wrong address or password, too many attempts, or nobody to ask. Some can tell how long to wait. */
export type LoginError = 'credentials' | 'attempts' | 'unavailable';

/** Why there is no page to show: what the client asked for is wrong, too late, not there, or nobody can answer now. */
export type PageError = 'request' | 'expired' | 'missing' | 'unavailable';

interface Message {
  readonly title: string;
  readonly text: string;
}

/** What a client may ask for that a person understands; any other scope is shown by its name. */
type Scope = 'openid' | 'profile' | 'email' | 'offline_access';

export interface Texts {
  readonly product: string;
  /** The programs that log in here, as they stand in a sentence. */
  readonly clients: Readonly<Record<typeof DOCS_CLIENT | typeof FRONTEND_CLIENT, string>>;
  readonly errorTitle: (title: string) => string;
  readonly login: {
    readonly title: string;
    readonly to: (client: string) => string;
    readonly email: string;
    readonly password: string;
    readonly submit: string;
    readonly errors: Readonly<Record<LoginError, (wait: string) => string>>;
  };
  readonly consent: {
    readonly title: (client: string) => string;
    readonly as: (email: string) => string;
    readonly asks: string;
    readonly scopes: Readonly<Record<Scope, string>>;
    readonly allow: string;
    readonly refuse: string;
  };
  readonly logout: {
    readonly title: string;
    readonly text: (client: string | undefined) => string;
    readonly yes: string;
    readonly no: string;
  };
  readonly loggedOut: Message & { readonly back: (client: string) => string };
  readonly errors: Readonly<Record<PageError, Message>>;
  readonly details: string;
}

const en: Texts = {
  product: 'Tax claims',
  clients: {
    'taxclaims-docs': 'the documentation of the interface',
    'taxclaims-frontend': 'the Tax claims application',
  },
  errorTitle: (title) => `Error: ${title}`,
  login: {
    title: 'Log in',
    to: (client) => `to go on to ${client}`,
    email: 'Email address',
    password: 'Password',
    submit: 'Log in',
    errors: {
      credentials: () => 'This address and this password do not belong together. Check both and try again.',
      attempts: (wait) => `There were too many attempts. Try again in ${wait}.`,
      unavailable: (wait) => `Nobody can be logged in at the moment. Try again in ${wait}.`,
    },
  },
  consent: {
    title: (client) => `Let ${client} act for you?`,
    as: (email) => `You are logged in as ${email}.`,
    asks: 'It asks for:',
    scopes: {
      openid: 'an identifier of you',
      profile: 'your name',
      email: 'your email address',
      offline_access: 'access while you are away, until you log out',
    },
    allow: 'Allow',
    refuse: 'Refuse',
  },
  logout: {
    title: 'Log out?',
    text: (client) =>
      client === undefined
        ? 'You will have to give your password again the next time.'
        : `You are leaving ${client}. You will have to give your password again the next time.`,
    yes: 'Log out',
    no: 'Stay logged in',
  },
  loggedOut: {
    title: 'You are logged out',
    text: 'You can close this window.',
    back: (client) => `Back to ${client}`,
  },
  errors: {
    request: {
      title: 'This login cannot work',
      text: 'The application asked for something that is not possible here. Whoever runs it will want to know what stands below.',
    },
    expired: {
      title: 'This login is over',
      text: 'It took too long, or was finished elsewhere. Go back to the application and log in again.',
    },
    missing: {
      title: 'There is no such page',
      text: 'Go back to the application and log in from there.',
    },
    unavailable: {
      title: 'Nobody can be logged in at the moment',
      text: 'Try again in a minute. Nothing of yours is lost.',
    },
  },
  details: 'Details',
};

const fr: Texts = {
  product: 'Réclamations fiscales',
  clients: {
    'taxclaims-docs': 'la documentation de l’interface',
    'taxclaims-frontend': 'l’application Réclamations fiscales',
  },
  errorTitle: (title) => `Erreur : ${title}`,
  login: {
    title: 'Connexion',
    to: (client) => `pour accéder à ${client}`,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    errors: {
      credentials: () =>
        'Cette adresse et ce mot de passe ne correspondent pas. Vérifiez-les, puis réessayez.',
      attempts: (wait) => `Trop de tentatives. Réessayez dans ${wait}.`,
      unavailable: (wait) => `La connexion est impossible pour le moment. Réessayez dans ${wait}.`,
    },
  },
  consent: {
    title: (client) => `Autoriser ${client} à agir en votre nom ?`,
    as: (email) => `Session ouverte avec l’adresse ${email}.`,
    asks: 'Cette application demande :',
    scopes: {
      openid: 'un identifiant qui vous désigne',
      profile: 'votre nom',
      email: 'votre adresse e-mail',
      offline_access: 'un accès en votre absence, jusqu’à votre déconnexion',
    },
    allow: 'Autoriser',
    refuse: 'Refuser',
  },
  logout: {
    title: 'Se déconnecter ?',
    text: (client) =>
      client === undefined
        ? 'Votre mot de passe vous sera demandé la prochaine fois.'
        : `Vous quittez ${client}. Votre mot de passe vous sera demandé la prochaine fois.`,
    yes: 'Se déconnecter',
    no: 'Rester connecté',
  },
  loggedOut: {
    title: 'Déconnexion terminée',
    text: 'Vous pouvez fermer cette fenêtre.',
    back: (client) => `Revenir à ${client}`,
  },
  errors: {
    request: {
      title: 'Cette connexion est impossible',
      text: 'L’application a demandé quelque chose qui n’est pas possible ici. Les détails ci-dessous aideront la personne qui s’en occupe.',
    },
    expired: {
      title: 'Cette connexion a expiré',
      text: 'Elle a duré trop longtemps, ou a été terminée ailleurs. Revenez à l’application et connectez-vous de nouveau.',
    },
    missing: {
      title: 'Cette page n’existe pas',
      text: 'Revenez à l’application et connectez-vous depuis celle-ci.',
    },
    unavailable: {
      title: 'La connexion est impossible pour le moment',
      text: 'Réessayez dans une minute. Rien n’est perdu.',
    },
  },
  details: 'Détails',
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en, fr };

/** A program by its id, as it stands in a sentence. */
export function clientIn(language: Language, id: string | undefined): string | undefined {
  return Object.entries(TEXTS[language].clients).find(([known]) => known === id)?.[1];
}

/** How long to wait, in whole minutes from one on; never less than it is. */
export function waitIn(language: Language, seconds: number): string {
  const [unit, count] = seconds < 60 ? ['second', Math.max(1, seconds)] : ['minute', seconds / 60];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(
    Math.ceil(count),
  );
}
