/**
 * The labels of the native menu, including those of Electron's roles, which have English defaults only. `&` stands before the
 * key that opens a menu with Alt; macOS leaves it out.
 */
export type MenuTexts = {
  readonly file: string;
  readonly transcribe: string;
  readonly settings: string;
  readonly quit: string;
  readonly close: string;
  readonly edit: string;
  readonly undo: string;
  readonly redo: string;
  readonly cut: string;
  readonly copy: string;
  readonly paste: string;
  readonly selectAll: string;
  readonly view: string;
  readonly back: string;
  readonly forward: string;
  readonly library: string;
  readonly queue: string;
  readonly files: string;
  readonly models: string;
  readonly resetZoom: string;
  readonly zoomIn: string;
  readonly zoomOut: string;
  readonly fullScreen: string;
  readonly window: string;
  readonly minimize: string;
  readonly zoom: string;
  readonly front: string;
  readonly help: string;
  readonly documentation: string;
  readonly about: string;
  readonly services: string;
  readonly hide: string;
  readonly hideOthers: string;
  readonly unhide: string;
  readonly startAtLogin: string;
  readonly updates: string;
  readonly logs: string;
  readonly playFrom: string;
  readonly addToDictionary: string;
  readonly saveAs: string;
};

const en: MenuTexts = {
  file: '&File',
  transcribe: 'Transcribe Files…',
  settings: 'Settings…',
  quit: 'Quit Earshot',
  close: 'Close Window',
  edit: '&Edit',
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  selectAll: 'Select All',
  view: '&View',
  back: 'Back',
  forward: 'Forward',
  library: 'Library',
  queue: 'Queue',
  files: 'Files',
  models: 'Models',
  resetZoom: 'Actual Size',
  zoomIn: 'Zoom In',
  zoomOut: 'Zoom Out',
  fullScreen: 'Full Screen',
  window: '&Window',
  minimize: 'Minimize',
  zoom: 'Zoom',
  front: 'Bring All to Front',
  help: '&Help',
  documentation: 'API Documentation',
  about: 'About Earshot',
  services: 'Services',
  hide: 'Hide Earshot',
  hideOthers: 'Hide Others',
  unhide: 'Show All',
  startAtLogin: 'Start at Login',
  updates: 'Check for Updates…',
  logs: 'Show Logs',
  playFrom: 'Play from This Word',
  addToDictionary: 'Add to Dictionary',
  saveAs: 'Save As',
};

const de: MenuTexts = {
  file: '&Datei',
  transcribe: 'Dateien transkribieren …',
  settings: 'Einstellungen …',
  quit: 'Earshot beenden',
  close: 'Fenster schließen',
  edit: '&Bearbeiten',
  undo: 'Rückgängig',
  redo: 'Wiederholen',
  cut: 'Ausschneiden',
  copy: 'Kopieren',
  paste: 'Einfügen',
  selectAll: 'Alles auswählen',
  view: '&Ansicht',
  back: 'Zurück',
  forward: 'Vor',
  library: 'Bibliothek',
  queue: 'Warteschlange',
  files: 'Dateien',
  models: 'Modelle',
  resetZoom: 'Originalgröße',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fullScreen: 'Vollbild',
  window: '&Fenster',
  minimize: 'Minimieren',
  zoom: 'Zoomen',
  front: 'Alle nach vorne bringen',
  help: '&Hilfe',
  documentation: 'API-Dokumentation',
  about: 'Über Earshot',
  services: 'Dienste',
  hide: 'Earshot ausblenden',
  hideOthers: 'Andere ausblenden',
  unhide: 'Alle einblenden',
  startAtLogin: 'Bei der Anmeldung starten',
  updates: 'Nach Updates suchen …',
  logs: 'Protokolle anzeigen',
  playFrom: 'Ab diesem Wort abspielen',
  addToDictionary: 'Zum Wörterbuch hinzufügen',
  saveAs: 'Speichern unter',
};

const es: MenuTexts = {
  file: '&Archivo',
  transcribe: 'Transcribir archivos…',
  settings: 'Ajustes…',
  quit: 'Salir de Earshot',
  close: 'Cerrar ventana',
  edit: '&Edición',
  undo: 'Deshacer',
  redo: 'Rehacer',
  cut: 'Cortar',
  copy: 'Copiar',
  paste: 'Pegar',
  selectAll: 'Seleccionar todo',
  view: '&Ver',
  back: 'Atrás',
  forward: 'Adelante',
  library: 'Biblioteca',
  queue: 'Cola',
  files: 'Archivos',
  models: 'Modelos',
  resetZoom: 'Tamaño real',
  zoomIn: 'Acercar',
  zoomOut: 'Alejar',
  fullScreen: 'Pantalla completa',
  window: 'Ve&ntana',
  minimize: 'Minimizar',
  zoom: 'Ampliar',
  front: 'Traer todo al frente',
  help: 'A&yuda',
  documentation: 'Documentación de la API',
  about: 'Acerca de Earshot',
  services: 'Servicios',
  hide: 'Ocultar Earshot',
  hideOthers: 'Ocultar otros',
  unhide: 'Mostrar todo',
  startAtLogin: 'Abrir al iniciar sesión',
  updates: 'Buscar actualizaciones…',
  logs: 'Mostrar registros',
  playFrom: 'Reproducir desde esta palabra',
  addToDictionary: 'Añadir al diccionario',
  saveAs: 'Guardar como',
};

const fr: MenuTexts = {
  file: '&Fichier',
  transcribe: 'Transcrire des fichiers…',
  settings: 'Réglages…',
  quit: 'Quitter Earshot',
  close: 'Fermer la fenêtre',
  edit: '&Édition',
  undo: 'Annuler',
  redo: 'Rétablir',
  cut: 'Couper',
  copy: 'Copier',
  paste: 'Coller',
  selectAll: 'Tout sélectionner',
  view: '&Présentation',
  back: 'Précédent',
  forward: 'Suivant',
  library: 'Bibliothèque',
  queue: 'File d’attente',
  files: 'Fichiers',
  models: 'Modèles',
  resetZoom: 'Taille réelle',
  zoomIn: 'Agrandir',
  zoomOut: 'Réduire',
  fullScreen: 'Plein écran',
  window: 'Fe&nêtre',
  minimize: 'Réduire la fenêtre',
  zoom: 'Zoom',
  front: 'Tout ramener au premier plan',
  help: '&Aide',
  documentation: 'Documentation de l’API',
  about: 'À propos d’Earshot',
  services: 'Services',
  hide: 'Masquer Earshot',
  hideOthers: 'Masquer les autres',
  unhide: 'Tout afficher',
  startAtLogin: 'Lancer à l’ouverture de session',
  updates: 'Rechercher des mises à jour…',
  logs: 'Afficher les journaux',
  playFrom: 'Lire à partir de ce mot',
  addToDictionary: 'Ajouter au dictionnaire',
  saveAs: 'Enregistrer sous',
};

export const MENU_TEXTS = { en, de, es, fr };
