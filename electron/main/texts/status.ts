/** The words outside of the window: tray, notifications, and native questions and messages. */
export type StatusTexts = {
  readonly idle: string;
  /** Without a percentage, only how many. */
  readonly running: (count: number, percent: number | undefined) => string;
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
  readonly quitUploadTitle: string;
  readonly quitUploadText: string;
  readonly keepRunning: string;
  readonly keepRecording: string;
  readonly keepUploading: string;
  readonly filesNotOpened: (count: number) => string;
  readonly fileMissing: (name: string) => string;
  readonly fileUnreadable: (name: string) => string;
  readonly fileOfOtherKind: (name: string) => string;
  readonly libraryDamaged: string;
  readonly recordings: string;
  readonly allFiles: string;
  readonly ok: string;
};

const en: StatusTexts = {
  idle: 'No transcription is running',
  running: (count, percent) =>
    `${count === 1 ? 'Transcribing' : `Transcribing ${count} recordings`}${percent === undefined ? '' : `: ${percent} %`}`,
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
  quitUploadTitle: 'Files are being uploaded.',
  quitUploadText: 'Files that are not stored yet have to be added again.',
  keepRunning: 'Keep Running',
  keepRecording: 'Keep Recording',
  keepUploading: 'Keep Uploading',
  filesNotOpened: (count) =>
    count === 1 ? 'A file could not be opened.' : `${count} files could not be opened.`,
  fileMissing: (name) => `“${name}” is not there any more. It may have been moved or renamed.`,
  fileUnreadable: (name) => `You do not have permission to read “${name}”.`,
  fileOfOtherKind: (name) => `“${name}” is not an audio or video recording.`,
  libraryDamaged:
    'The library does not open. The window says how to repair it; until then, nothing can be opened in it.',
  recordings: 'Recordings',
  allFiles: 'All Files',
  ok: 'OK',
};

const de: StatusTexts = {
  idle: 'Keine Transkription läuft',
  running: (count, percent) =>
    `${count === 1 ? 'Wird transkribiert' : `${count} Aufnahmen werden transkribiert`}${percent === undefined ? '' : `: ${percent} %`}`,
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
  quitUploadTitle: 'Dateien werden hochgeladen.',
  quitUploadText: 'Dateien, die noch nicht gespeichert sind, müssen erneut hinzugefügt werden.',
  keepRunning: 'Weiterlaufen lassen',
  keepRecording: 'Weiter aufnehmen',
  keepUploading: 'Weiter hochladen',
  filesNotOpened: (count) =>
    count === 1
      ? 'Eine Datei konnte nicht geöffnet werden.'
      : `${count} Dateien konnten nicht geöffnet werden.`,
  fileMissing: (name) => `„${name}“ ist nicht mehr da. Vielleicht wurde die Datei verschoben oder umbenannt.`,
  fileUnreadable: (name) => `Sie haben keine Berechtigung, „${name}“ zu lesen.`,
  fileOfOtherKind: (name) => `„${name}“ ist keine Audio- oder Videoaufnahme.`,
  libraryDamaged:
    'Die Bibliothek lässt sich nicht öffnen. Das Fenster sagt, wie man sie repariert; bis dahin kann nichts darin geöffnet werden.',
  recordings: 'Aufnahmen',
  allFiles: 'Alle Dateien',
  ok: 'OK',
};

const es: StatusTexts = {
  idle: 'No hay ninguna transcripción en curso',
  running: (count, percent) =>
    `${count === 1 ? 'Transcribiendo' : `Transcribiendo ${count} grabaciones`}${percent === undefined ? '' : `: ${percent} %`}`,
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
  quitUploadTitle: 'Se están subiendo archivos.',
  quitUploadText: 'Tendrá que volver a añadir los archivos que aún no se hayan guardado.',
  keepRunning: 'Seguir transcribiendo',
  keepRecording: 'Seguir grabando',
  keepUploading: 'Seguir subiendo',
  filesNotOpened: (count) =>
    count === 1 ? 'No se ha podido abrir un archivo.' : `No se han podido abrir ${count} archivos.`,
  fileMissing: (name) => `«${name}» ya no está. Puede que se haya movido o cambiado de nombre.`,
  fileUnreadable: (name) => `No tiene permiso para leer «${name}».`,
  fileOfOtherKind: (name) => `«${name}» no es una grabación de audio o vídeo.`,
  libraryDamaged:
    'La biblioteca no se abre. La ventana explica cómo repararla; hasta entonces no se puede abrir nada en ella.',
  recordings: 'Grabaciones',
  allFiles: 'Todos los archivos',
  ok: 'Aceptar',
};

const fr: StatusTexts = {
  idle: 'Aucune transcription en cours',
  running: (count, percent) =>
    `${count === 1 ? 'Transcription' : `Transcription de ${count} enregistrements`}${percent === undefined ? '' : ` : ${percent} %`}`,
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
  quitUploadTitle: 'Des fichiers sont en cours d’envoi.',
  quitUploadText: 'Les fichiers qui ne sont pas encore stockés devront être ajoutés de nouveau.',
  keepRunning: 'Continuer',
  keepRecording: 'Continuer l’enregistrement',
  keepUploading: 'Continuer l’envoi',
  filesNotOpened: (count) =>
    count === 1 ? 'Impossible d’ouvrir un fichier.' : `Impossible d’ouvrir ${count} fichiers.`,
  fileMissing: (name) => `« ${name} » n’existe plus. Le fichier a peut-être été déplacé ou renommé.`,
  fileUnreadable: (name) => `Vous n’avez pas l’autorisation de lire « ${name} ».`,
  fileOfOtherKind: (name) => `« ${name} » n’est pas un enregistrement audio ou vidéo.`,
  libraryDamaged:
    'La bibliothèque ne s’ouvre pas. La fenêtre indique comment la réparer ; d’ici là, rien ne peut y être ouvert.',
  recordings: 'Enregistrements',
  allFiles: 'Tous les fichiers',
  ok: 'OK',
};

export const STATUS_TEXTS = { en, de, es, fr };
