import type { MenuItemConstructorOptions } from 'electron';
import type { DesktopTexts } from './texts/index.ts';

type Item = MenuItemConstructorOptions;

/** What Electron tells of the place that was clicked, as far as the menu depends on it. */
export type ContextParams = {
  readonly x: number;
  readonly y: number;
  readonly pageURL: string;
  readonly linkURL: string;
  readonly isEditable: boolean;
  readonly selectionText: string;
  readonly misspelledWord: string;
  readonly dictionarySuggestions: readonly string[];
  readonly editFlags: { readonly canCut: boolean; readonly canCopy: boolean; readonly canPaste: boolean };
};

export type ContextActions = {
  readonly playFrom: (point: { x: number; y: number }) => void;
  readonly replaceMisspelling: (word: string) => void;
  readonly addToDictionary: (word: string) => void;
};

const isTranscript = (address: string): boolean => /#\/transcript\//.test(address);

const spelling = (params: ContextParams, texts: DesktopTexts, actions: ContextActions): Item[] =>
  params.misspelledWord === ''
    ? []
    : [
        ...params.dictionarySuggestions.map(
          (word): Item => ({ label: word, click: () => actions.replaceMisspelling(word) }),
        ),
        {
          label: texts.addToDictionary,
          click: () => actions.addToDictionary(params.misspelledWord),
        },
      ];

const editing = ({ isEditable, editFlags }: ContextParams, texts: DesktopTexts): Item[] =>
  isEditable
    ? [
        { role: 'cut', label: texts.cut, enabled: editFlags.canCut },
        { role: 'copy', label: texts.copy, enabled: editFlags.canCopy },
        { role: 'paste', label: texts.paste, enabled: editFlags.canPaste },
        { role: 'selectAll', label: texts.selectAll },
      ]
    : [];

/** The menu for a place in the page; empty if there is nothing to do. */
export const contextMenuTemplate = (
  params: ContextParams,
  texts: DesktopTexts,
  actions: ContextActions,
): Item[] => {
  const { x, y, isEditable, linkURL, selectionText, pageURL } = params;
  const groups: readonly Item[][] = [
    isTranscript(pageURL) && !isEditable && linkURL === ''
      ? [{ label: texts.playFrom, click: () => actions.playFrom({ x, y }) }]
      : [],
    spelling(params, texts, actions),
    isEditable || selectionText.trim() === '' ? [] : [{ role: 'copy', label: texts.copy }],
    editing(params, texts),
  ];
  return groups
    .filter((items) => items.length > 0)
    .flatMap((items, index): Item[] => (index === 0 ? items : [{ type: 'separator' }, ...items]));
};
