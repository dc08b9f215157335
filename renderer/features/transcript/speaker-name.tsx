import { Popover } from 'radix-ui';
import { useState } from 'react';
import { useStore } from 'zustand';
import { useI18n, useServices } from '../../app/services.tsx';
import { describeError } from '../../lib/errors.ts';
import { speakerColor, speakerIndex } from '../../lib/speakers.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useReader } from './reader.tsx';

/** The speaker's name, or "Speaker A" in the window's language; '' without a speaker. */
export const useSpeakerName = (speaker: string | null): string => {
  const { editor } = useReader();
  const { t } = useI18n();
  const given = useStore(editor.store, (state) => state.transcript?.speakers?.[speaker ?? '']?.name);
  if (speaker === null) return '';
  return given === undefined || given === '' || given === speaker || given === `Speaker ${speaker}`
    ? t('speaker.unnamed', { id: speaker })
    : given;
};

/** The speaker's name, with a popover that renames the speaker. */
export const SpeakerName = ({ speaker, tabIndex }: { speaker: string; tabIndex?: number }) => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const name = useSpeakerName(speaker);
  // No speaker embeddings are stored for redacted transcripts.
  const redacted = useStore(editor.store, (state) => state.transcript?.redact_pii_sub !== undefined);
  const [open, setOpen] = useState(false);
  const [remember, setRemember] = useState(false);
  const save = async (text: string) => {
    setOpen(false);
    if (text.trim() === '' || (text.trim() === name && !remember)) return;
    try {
      await editor.renameSpeaker(speaker, text.trim(), remember);
      setRemember(false);
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        tabIndex={tabIndex}
        className="rounded-[3px] font-[620] hover:underline hover:underline-offset-[3px]"
        style={{ color: speakerColor(speakerIndex(speaker)) }}
      >
        {name}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t('speaker.rename')}
          className="fade z-50 w-[260px] rounded-box border border-line-2 bg-raised p-3 shadow-high outline-none"
        >
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void save(String(new FormData(event.currentTarget).get('name') ?? ''));
            }}
          >
            <Field label={t('speaker.rename')} hint={t('speaker.rename.hint')}>
              {(ids) => (
                <TextInput {...ids} name="name" defaultValue={name} maxLength={200} autoComplete="off" />
              )}
            </Field>
            {!redacted && (
              <div className="mt-3">
                <Switch
                  label={t('speaker.remember')}
                  hint={t('speaker.remember.hint')}
                  checked={remember}
                  onChange={setRemember}
                />
              </div>
            )}
            <Button type="submit" variant="primary" className="mt-3">
              {t('common.save')}
            </Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
};
