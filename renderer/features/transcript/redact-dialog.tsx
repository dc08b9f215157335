import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import type { Doc } from './model/document.ts';
import { spokenParts } from './model/spoken-parts.ts';
import { useReader, type WordSpan } from './reader.tsx';

/** Longer selections are shortened. Characters. */
const MAX_LENGTH = 80;

type Props = { doc: Doc; words: WordSpan & { readonly isPrivate: boolean } };

/** Confirms that words are hidden for good, or shown again. */
export const RedactDialog = ({ doc, words: { first, last, isPrivate } }: Props) => {
  const { editor, view } = useReader();
  const { toasts, library } = useServices();
  const { t } = useI18n();
  const text = doc.words
    .slice(first, last + 1)
    .map((word) => word.text)
    .join(' ');
  const close = () => view.setState({ redacted: undefined });
  const redact = async () => {
    close();
    try {
      await editor.redact(spokenParts(doc, first, last), isPrivate);
      library.refresh();
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const words = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return (
    <ConfirmDialog
      title={t(isPrivate ? 'redact.hide.title' : 'redact.show.title')}
      text={t(isPrivate ? 'redact.hide.text' : 'redact.show.text', { words })}
      confirmLabel={t(isPrivate ? 'redact.hide' : 'redact.show.confirm')}
      cancelLabel={t('common.cancel')}
      onConfirm={() => void redact()}
      onCancel={close}
    />
  );
};
