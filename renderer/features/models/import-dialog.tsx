import { useState } from 'react';
import { ApiError } from '../../../electron/contract/client.ts';
import { useI18n, useServices } from '../../app/services.tsx';
import { errorText } from '../../lib/errors.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';

type Fault = { readonly field: 'path' | 'id'; readonly text: string };

const faultOf = (error: unknown, text: string): Fault => ({
  field: error instanceof ApiError && error.details.some((detail) => detail.path === 'id') ? 'id' : 'path',
  text,
});

/** Takes in a model that lies on this computer already. */
export const ImportDialog = ({ onClose, onDone }: { onClose: () => void; onDone: () => void }) => {
  const { client, toasts } = useServices();
  const { t } = useI18n();
  const [path, setPath] = useState('');
  const [id, setId] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Fault>();
  const submit = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      const { data } = await client.call('importModel', {
        body: { path: path.trim(), ...(id.trim() === '' ? {} : { id: id.trim() }) },
      });
      toasts.show(t('models.here', { name: data.name }), { tone: 'good' });
      onDone();
    } catch (error) {
      setFault(faultOf(error, errorText(error, t)));
      setBusy(false);
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
          if (path.trim() !== '' && !busy) void submit();
        }}
      >
        <Field
          label={t('models.import.path')}
          hint={t('models.import.pathHint')}
          error={fault?.field === 'path' ? fault.text : undefined}
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
          error={fault?.field === 'id' ? fault.text : undefined}
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
            {busy ? t('models.import.busy') : ''}
          </span>
          <Button look="ghost" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" look="primary" disabled={busy || path.trim() === ''}>
            {t('models.import.start')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
};
