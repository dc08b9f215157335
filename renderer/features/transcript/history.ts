import type { SegmentText } from './model/edit.ts';
import type { Send, ServerEdit } from './server-edits.ts';

/** What one step of the history does: it sets texts or the name, or takes back or makes again an edit of the server's. */
export type Step =
  | { readonly name: string }
  | { readonly segments: readonly SegmentText[] }
  | { readonly undo: ServerEdit }
  | { readonly redo: ServerEdit; readonly send?: Send };

/** A change that can be undone. */
export type Change = { readonly before: Step; readonly after: Step };

export type HistoryState = {
  /** Oldest first: the last one is undone next. */
  readonly undoStack: readonly Change[];
  readonly redoStack: readonly Change[];
};
export const NO_HISTORY: HistoryState = { undoStack: [], redoStack: [] };

type Options = {
  readonly getState: () => HistoryState;
  readonly setState: (state: HistoryState) => void;
  /** Makes a step; rejects if it could not be made. */
  readonly perform: (step: Step) => Promise<void>;
  /** The step beyond those that this page has in its list: what was edited before it was opened, for one. */
  readonly beyond: (direction: 'undo' | 'redo') => Promise<Step | undefined>;
};

const touches = ({ after }: Change, segments: ReadonlySet<number>): boolean =>
  'segments' in after && after.segments.some((each) => segments.has(each.id));

/** The one list of changes that Undo and Redo walk, whichever button or key asks for it. */
export const createHistory = ({ getState, setState, perform, beyond }: Options) => {
  /** Takes a step back or forth; a step that fails leaves the history as it was. */
  const move = async (from: keyof HistoryState, to: keyof HistoryState, side: keyof Change) => {
    const change = getState()[from].at(-1);
    if (change === undefined) {
      const step = await beyond(side === 'before' ? 'undo' : 'redo');
      if (step !== undefined) await perform(step);
      return;
    }
    const put = (on: keyof HistoryState, off: keyof HistoryState) => {
      const state = getState();
      setState({
        ...state,
        [off]: state[off].filter((each) => each !== change),
        [on]: [...state[on], change],
      });
    };
    put(to, from);
    try {
      await perform(change[side]);
    } catch (error) {
      put(from, to);
      throw error;
    }
  };
  // One after the other: what can be redone is known when the undo before it is done.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (...step: Parameters<typeof move>): Promise<void> => {
    const next = last.then(() => move(...step));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    record: (change: Change) => setState({ undoStack: [...getState().undoStack, change], redoStack: [] }),
    undo: () => inTurn('undoStack', 'redoStack', 'before'),
    redo: () => inTurn('redoStack', 'undoStack', 'after'),
    /** Forgets the changes of these segments, whose text is no longer what the change left. */
    forget: (segments: ReadonlySet<number>) => {
      const { undoStack, redoStack } = getState();
      const isKept = (change: Change) => !touches(change, segments);
      if (![...undoStack, ...redoStack].every(isKept))
        setState({ undoStack: undoStack.filter(isKept), redoStack: redoStack.filter(isKept) });
    },
    clear: () => setState(NO_HISTORY),
  };
};
