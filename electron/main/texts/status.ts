/** The words outside of the window: tray, notifications, and the question before quitting. */
export type StatusTexts = {
  readonly idle: string;
  readonly running: (count: number, percent: number) => string;
  readonly waiting: (count: number) => string;
  readonly paused: string;
  readonly open: string;
  readonly pause: string;
  readonly resume: string;
  readonly completed: string;
  readonly failed: string;
  readonly quitTitle: (count: number) => string;
  readonly quitText: string;
  /** A recording, and `count` transcriptions beside it. */
  readonly quitRecordingTitle: (count: number) => string;
  readonly quitRecordingText: string;
  readonly keepRunning: string;
  readonly keepRecording: string;
};

const en: StatusTexts = {
  idle: 'No transcription is running',
  running: (count, percent) =>
    count === 1 ? `Transcribing: ${percent} %` : `Transcribing ${count} recordings: ${percent} %`,
  waiting: (count) => `${count} waiting`,
  paused: 'The queue is paused',
  open: 'Open Earshot',
  pause: 'Pause Queue',
  resume: 'Resume Queue',
  completed: 'Transcription finished',
  failed: 'Transcription failed',
  quitTitle: (count) =>
    count === 1 ? 'A transcription is running.' : `${count} transcriptions are running.`,
  quitText: 'What is done so far is saved. Earshot resumes there when you open it again.',
  quitRecordingTitle: (count) => {
    if (count === 0) return 'A recording is in progress.';
    return count === 1
      ? 'A recording and a transcription are in progress.'
      : `A recording and ${count} transcriptions are in progress.`;
  },
  quitRecordingText: 'What you have recorded so far is kept, and you find it in the library.',
  keepRunning: 'Keep Running',
  keepRecording: 'Keep Recording',
};

const de: StatusTexts = {
  idle: 'Keine Transkription läuft',
  running: (count, percent) =>
    count === 1
      ? `Wird transkribiert: ${percent} %`
      : `${count} Aufnahmen werden transkribiert: ${percent} %`,
  waiting: (count) => `${count} in Warteschlange`,
  paused: 'Die Warteschlange ist angehalten',
  open: 'Earshot öffnen',
  pause: 'Warteschlange anhalten',
  resume: 'Warteschlange fortsetzen',
  completed: 'Transkription fertig',
  failed: 'Transkription fehlgeschlagen',
  quitTitle: (count) => (count === 1 ? 'Eine Transkription läuft.' : `${count} Transkriptionen laufen.`),
  quitText:
    'Der bisherige Stand ist gespeichert. Beim nächsten Öffnen wird die Arbeit an derselben Stelle fortgesetzt.',
  quitRecordingTitle: (count) => {
    if (count === 0) return 'Eine Aufnahme läuft.';
    return count === 1
      ? 'Eine Aufnahme und eine Transkription laufen.'
      : `Eine Aufnahme und ${count} Transkriptionen laufen.`;
  },
  quitRecordingText: 'Was Sie bisher aufgenommen haben, bleibt erhalten und liegt in der Bibliothek.',
  keepRunning: 'Weiterlaufen lassen',
  keepRecording: 'Weiter aufnehmen',
};

const es: StatusTexts = {
  idle: 'No hay ninguna transcripción en curso',
  running: (count, percent) =>
    count === 1 ? `Transcribiendo: ${percent} %` : `Transcribiendo ${count} grabaciones: ${percent} %`,
  waiting: (count) => `${count} en espera`,
  paused: 'La cola está en pausa',
  open: 'Abrir Earshot',
  pause: 'Pausar la cola',
  resume: 'Reanudar la cola',
  completed: 'Transcripción terminada',
  failed: 'La transcripción ha fallado',
  quitTitle: (count) =>
    count === 1 ? 'Hay una transcripción en curso.' : `Hay ${count} transcripciones en curso.`,
  quitText: 'Lo hecho hasta ahora está guardado. Earshot seguirá desde ahí cuando vuelva a abrirlo.',
  quitRecordingTitle: (count) => {
    if (count === 0) return 'Hay una grabación en curso.';
    return count === 1
      ? 'Hay una grabación y una transcripción en curso.'
      : `Hay una grabación y ${count} transcripciones en curso.`;
  },
  quitRecordingText: 'Lo grabado hasta ahora se conserva y lo encontrará en la biblioteca.',
  keepRunning: 'Seguir transcribiendo',
  keepRecording: 'Seguir grabando',
};

const fr: StatusTexts = {
  idle: 'Aucune transcription en cours',
  running: (count, percent) =>
    count === 1 ? `Transcription : ${percent} %` : `Transcription de ${count} enregistrements : ${percent} %`,
  waiting: (count) => `${count} en attente`,
  paused: 'La file d’attente est en pause',
  open: 'Ouvrir Earshot',
  pause: 'Suspendre la file d’attente',
  resume: 'Reprendre la file d’attente',
  completed: 'Transcription terminée',
  failed: 'La transcription a échoué',
  quitTitle: (count) =>
    count === 1 ? 'Une transcription est en cours.' : `${count} transcriptions sont en cours.`,
  quitText: 'Le travail déjà fait est sauvegardé. Earshot le reprendra à la prochaine ouverture.',
  quitRecordingTitle: (count) => {
    if (count === 0) return 'Un enregistrement est en cours.';
    return count === 1
      ? 'Un enregistrement et une transcription sont en cours.'
      : `Un enregistrement et ${count} transcriptions sont en cours.`;
  },
  quitRecordingText: 'Ce que vous avez enregistré est conservé et se trouve dans la bibliothèque.',
  keepRunning: 'Continuer',
  keepRecording: 'Continuer l’enregistrement',
};

export const STATUS_TEXTS = { en, de, es, fr };
