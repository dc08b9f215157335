/** The words of the pages that stand in the window while the service cannot show its own. */
export type PageTexts = {
  readonly language: string;
  readonly starting: string;
  readonly startFailed: string;
  readonly stopped: string;
  readonly stoppedText: string;
  readonly crashed: string;
  readonly crashedText: string;
  readonly restart: string;
  readonly reopen: string;
};

const en: PageTexts = {
  language: 'en',
  starting: 'Starting Earshot…',
  startFailed: 'Earshot couldn’t start',
  stopped: 'Earshot has stopped because of an error',
  stoppedText: 'Your recordings and texts are saved. A running transcription resumes where it stopped.',
  crashed: 'This window crashed',
  crashedText: 'Nothing is lost: transcriptions keep running, and your corrections are saved.',
  restart: 'Restart Earshot',
  reopen: 'Open Again',
};

const de: PageTexts = {
  language: 'de',
  starting: 'Earshot wird gestartet …',
  startFailed: 'Earshot konnte nicht gestartet werden',
  stopped: 'Earshot wurde wegen eines Fehlers angehalten',
  stoppedText:
    'Ihre Aufnahmen und Texte sind gespeichert. Eine laufende Transkription wird an derselben Stelle fortgesetzt.',
  crashed: 'Dieses Fenster ist abgestürzt',
  crashedText: 'Nichts ist verloren: Transkriptionen laufen weiter, und Ihre Korrekturen sind gespeichert.',
  restart: 'Earshot neu starten',
  reopen: 'Erneut öffnen',
};

const es: PageTexts = {
  language: 'es',
  starting: 'Iniciando Earshot…',
  startFailed: 'No se ha podido iniciar Earshot',
  stopped: 'Earshot se ha detenido por un error',
  stoppedText: 'Sus grabaciones y textos están guardados. La transcripción en curso seguirá donde se quedó.',
  crashed: 'Esta ventana se ha bloqueado',
  crashedText: 'No se ha perdido nada: las transcripciones continúan y sus correcciones están guardadas.',
  restart: 'Reiniciar Earshot',
  reopen: 'Abrir de nuevo',
};

const fr: PageTexts = {
  language: 'fr',
  starting: 'Démarrage d’Earshot…',
  startFailed: 'Impossible de démarrer Earshot',
  stopped: 'Earshot s’est arrêté à cause d’une erreur',
  stoppedText:
    'Vos enregistrements et vos textes sont sauvegardés. La transcription en cours reprendra là où elle s’est arrêtée.',
  crashed: 'Cette fenêtre a planté',
  crashedText: 'Rien n’est perdu : les transcriptions continuent et vos corrections sont enregistrées.',
  restart: 'Redémarrer Earshot',
  reopen: 'Rouvrir',
};

export const PAGE_TEXTS = { en, de, es, fr };
