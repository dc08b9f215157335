import { useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import { describeError } from '../../api/errors.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';

type FieldError = { readonly field: 'path' | 'id'; readonly text: string };

const toFieldError = (error: unknown, text: string): FieldError => ({
  field: error instanceof ApiError && error.details.some((detail) => detail.path === 'id') ? 'id' : 'path',
  text,
});

/** Imports a model file from this computer. */
export const ImportModelDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => {
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const [path, setPath] = useState('');
  const [id, setId] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<FieldError>();
  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      const { data } = await client.call('importModel', {
        body: { path: path.trim(), ...(id.trim() === '' ? {} : { id: id.trim() }) },
      });
      toasts.show(t('models.imported', { name: data.name }), { tone: 'good' });
      onDone();
    } catch (error) {
      setError(toFieldError(error, describeError(error, t)));
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={t('models.import.title')}
      description={t('models.import.text')}
      closeLabel={t('common.close')}
      onClose={onClose}
      width={520}
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (path.trim() !== '' && !isBusy) void submit();
        }}
      >
        <Field
          label={t('models.import.path')}
          hint={t('models.import.pathHint')}
          error={error?.field === 'path' ? error.text : undefined}
        >
          {(ids) => (
            <TextInput
              {...ids}
              value={path}
              spellCheck={false}
              className="font-mono !text-xs"
              onChange={(event) => setPath(event.target.value)}
            />
          )}
        </Field>
        <Field
          label={t('models.import.id')}
          hint={t('models.import.idHint')}
          error={error?.field === 'id' ? error.text : undefined}
        >
          {(ids) => (
            <TextInput
              {...ids}
              value={id}
              maxLength={100}
              spellCheck={false}
              onChange={(event) => setId(event.target.value)}
            />
          )}
        </Field>
        <div className="flex items-center justify-end gap-2">
          <span role="status" className="me-auto text-ink-2">
            {isBusy ? t('models.import.busy') : ''}
          </span>
          <Button variant="ghost" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" variant="primary" disabled={isBusy || path.trim() === ''}>
            {t('models.import.start')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
