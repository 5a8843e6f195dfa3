import { DOCS_CLIENT_ID, FRONTEND_CLIENT_ID } from './clients.ts';

export type Language = 'en' | 'fr';

const en = {
  product: 'Tax claims',
  clients: {
    [DOCS_CLIENT_ID]: 'the documentation of the interface',
    [FRONTEND_CLIENT_ID]: 'the Tax claims application',
  },
  errorTitle: (title: string) => `Error: ${title}`,
  login: {
    title: 'Log in',
    to: (client: string) => `to go on to ${client}`,
    email: 'Email address',
    password: 'Password',
    submit: 'Log in',
    errors: {
      credentials: () => 'This address and this password do not belong together. Check both and try again.',
      attempts: (wait: string) => `There were too many attempts. Try again in ${wait}.`,
      unavailable: (wait: string) => `Nobody can be logged in at the moment. Try again in ${wait}.`,
    },
  },
  logout: {
    title: 'Log out?',
    leaving: (client: string) => `You are leaving ${client}.`,
    text: 'You will have to give your password again the next time.',
    yes: 'Log out',
    no: 'Stay logged in',
  },
  messages: {
    loggedOut: { title: 'You are logged out', text: 'You can close this window.' },
    request: {
      title: 'This login cannot work',
      text: 'The application asked for something that is not possible here. Whoever runs it will want to know what stands below.',
    },
    expired: {
      title: 'This login is over',
      text: 'It took too long, or was finished elsewhere. Go back to the application and log in again.',
    },
    unavailable: {
      title: 'Nobody can be logged in at the moment',
      text: 'Try again in a minute. Nothing of yours is lost.',
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
