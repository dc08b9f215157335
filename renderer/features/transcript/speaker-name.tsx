import { Popover } from 'radix-ui';
import { useCallback, useState } from 'react';
import { useStore } from 'zustand';
import { describeError } from '../../api/errors.ts';
import { COLOR_INDICES, shownName, speakerColor, speakerIndex } from '../../domain/speakers.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { returnFocus } from '../../ui/return-focus.ts';
import { Switch } from '../../ui/switch.tsx';
import { useReader } from './reader.tsx';

/** The speaker's name, or "Speaker A" in the window's language; '' without a speaker. */
export const useSpeakerName = (speaker: string | null): string => {
  const { editor } = useReader();
  const { t } = useI18n();
  const given = useStore(editor.store, (state) => state.transcript?.speakers?.[speaker ?? '']?.name);
  if (speaker === null) return '';
  return given === undefined || given === '' || given === speaker
    ? t('speaker.unnamed', { id: speaker })
    : shownName(given, t);
};

/** The labels and names of all speakers of the transcript. */
export const useSpeakerNames = (): (readonly [label: string, name: string])[] => {
  const { editor } = useReader();
  const { t } = useI18n();
  const speakers = useStore(editor.store, (state) => state.transcript?.speakers);
  return Object.entries(speakers ?? {}).map(([label, { name }]) => [label, shownName(name, t)]);
};

/** The CSS color of a speaker: the one that a person gave, else in turn. */
export const useSpeakerColors = (): ((speaker: string) => string) => {
  const { editor } = useReader();
  const speakers = useStore(editor.store, (state) => state.transcript?.speakers);
  return useCallback(
    (speaker) => speakerColor(speakers?.[speaker]?.color ?? speakerIndex(speaker)),
    [speakers],
  );
};

type ColorsProps = { speaker: string; onPick: (color: number) => void };

const Colors = ({ speaker, onPick }: ColorsProps) => {
  const { editor } = useReader();
  const { t } = useI18n();
  const given = useStore(editor.store, (state) => state.transcript?.speakers?.[speaker]?.color);
  const current = given ?? speakerIndex(speaker) % COLOR_INDICES.length;
  return (
    <fieldset className="mt-3">
      <legend className="mb-1.5 text-xs font-medium text-ink-2">{t('speaker.color')}</legend>
      <div className="flex gap-2">
        {COLOR_INDICES.map((color) => (
          <label key={color} className="speaker-color" style={{ '--c': speakerColor(color) }}>
            <input
              type="radio"
              name="color"
              className="absolute inset-0 m-0 size-full opacity-0"
              aria-label={t('speaker.color.of', { number: String(color + 1) })}
              checked={color === current}
              onChange={() => onPick(color)}
            />
          </label>
        ))}
      </div>
    </fieldset>
  );
};

/** The speaker's name, with a popover that renames the speaker. */
export const SpeakerName = ({ speaker, tabIndex }: { speaker: string; tabIndex?: number }) => {
  const { editor } = useReader();
  const { toasts } = useServices();
  const { t } = useI18n();
  const name = useSpeakerName(speaker);
  // No speaker embeddings are stored for redacted transcripts.
  const redacted = useStore(editor.store, (state) => state.transcript?.redact_pii_sub !== undefined);
  const colorOf = useSpeakerColors();
  const [open, setOpen] = useState(false);
  const [remember, setRemember] = useState(false);
  const save = async (text: string) => {
    setOpen(false);
    if (text.trim() === '' || (text.trim() === name && !remember)) return;
    try {
      await editor.changeSpeaker(speaker, { name: text.trim(), ...(remember ? { remember } : {}) });
      setRemember(false);
    } catch (error) {
      toasts.show(describeError(error, t), { tone: 'bad' });
    }
  };
  const pick = (color: number) => {
    editor
      .changeSpeaker(speaker, { color })
      .catch((error: unknown) => toasts.show(describeError(error, t), { tone: 'bad' }));
  };
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        tabIndex={tabIndex}
        title={name}
        className="block max-w-full min-w-0 truncate rounded-[3px] font-[620] hover:underline hover:underline-offset-[3px]"
        style={{ color: colorOf(speaker) }}
      >
        {name}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={t('speaker.rename')}
          onCloseAutoFocus={returnFocus}
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
            <Colors speaker={speaker} onPick={pick} />
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
