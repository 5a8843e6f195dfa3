import { DOCS_CLIENT_ID, FRONTEND_CLIENT_ID } from './clients.ts';

export type Language = 'en' | 'fr';

const en = {
  product: 'Tax claims',
  clients: {
    [DOCS_CLIENT_ID]: 'the API documentation',
    [FRONTEND_CLIENT_ID]: 'the Tax claims application',
  },
  errorTitle: (title: string) => `Error: ${title}`,
  login: {
    title: 'Log in',
    to: (client: string) => `to continue to ${client}`,
    email: 'Email address',
    password: 'Password',
    submit: 'Log in',
    errors: {
      credentials: () => 'Wrong email address or password.',
      attempts: (wait: string) => `Too many attempts. Try again in ${wait}.`,
      unavailable: (wait: string) => `Logging in is not possible at the moment. Try again in ${wait}.`,
    },
  },
  logout: {
    title: 'Log out?',
    leaving: (client: string) => `You are leaving ${client}.`,
    text: 'You will need your password to log in again.',
    yes: 'Log out',
    no: 'Stay logged in',
  },
  messages: {
    loggedOut: { title: 'You are logged out', text: 'You can close this window.' },
    request: {
      title: 'This login is not possible',
      text: 'The application sent an invalid request. The details below help the people who run it.',
    },
    expired: {
      title: 'This login has expired',
      text: 'It took too long, or was completed in another window. Go back to the application and log in again.',
    },
    unavailable: {
      title: 'Logging in is not possible at the moment',
      text: 'Try again in a minute. Nothing was lost.',
    },
  },
};

type PageTexts = typeof en;
export interface LoginFailure {
  readonly error?: keyof PageTexts['login']['errors'];
  readonly waitSeconds?: number;
}
export type PageMessage = keyof PageTexts['messages'];

const fr: PageTexts = {
  product: 'Réclamations fiscales',
  clients: {
    [DOCS_CLIENT_ID]: 'la documentation de l’interface',
    [FRONTEND_CLIENT_ID]: 'l’application Réclamations fiscales',
  },
  errorTitle: (title) => `Erreur : ${title}`,
  login: {
    title: 'Connexion',
    to: (client) => `pour accéder à ${client}`,
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    errors: {
      credentials: () => 'Cette adresse et ce mot de passe ne correspondent pas. Vérifiez-les, puis réessayez.',
      attempts: (wait) => `Trop de tentatives. Réessayez dans ${wait}.`,
      unavailable: (wait) => `La connexion est impossible pour le moment. Réessayez dans ${wait}.`,
    },
  },
  logout: {
    title: 'Se déconnecter ?',
    leaving: (client) => `Vous quittez ${client}.`,
    text: 'Votre mot de passe vous sera demandé la prochaine fois.',
    yes: 'Se déconnecter',
    no: 'Rester connecté',
  },
  messages: {
    loggedOut: { title: 'Déconnexion terminée', text: 'Vous pouvez fermer cette fenêtre.' },
    request: {
      title: 'Cette connexion est impossible',
      text: 'L’application a demandé quelque chose qui n’est pas possible ici. Les détails ci-dessous aideront la personne qui s’en occupe.',
    },
    expired: {
      title: 'Cette connexion a expiré',
      text: 'Elle a duré trop longtemps, ou a été terminée ailleurs. Revenez à l’application et connectez-vous de nouveau.',
    },
    unavailable: {
      title: 'La connexion est impossible pour le moment',
      text: 'Réessayez dans une minute. Rien n’est perdu.',
    },
  },
};

export const PAGE_TEXTS_BY_LANGUAGE: Readonly<Record<Language, PageTexts>> = { en, fr };

export function findClientDisplayName(language: Language, id: unknown): string | undefined {
  return Object.entries(PAGE_TEXTS_BY_LANGUAGE[language].clients).find(([known]) => known === id)?.[1];
}

export function formatWaitTime(language: Language, seconds: number): string {
  const [unit, count] = seconds < 60 ? ['second', Math.max(1, seconds)] : ['minute', seconds / 60];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(count));
}
