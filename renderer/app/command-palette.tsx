import { Command } from 'cmdk';
import { Dialog as Radix } from 'radix-ui';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { RecentItem } from '../../electron/contract/transcript-list.ts';
import { describeError } from '../api/errors.ts';
import { useI18n, useServices } from '../hooks/services.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { useReturnFocus } from '../ui/return-focus.ts';
import { NAV_SCREENS } from './screens.tsx';

const ITEM_CLASS =
  'flex h-9 cursor-default items-center gap-3 rounded-ctl px-3 data-[selected=true]:bg-sunken [&>svg]:text-ink-2';

/** Instead of cmdk's own dialog, which takes no `onCloseAutoFocus`. */
const PaletteDialog = (props: { label: string; onClose: () => void; children: ReactNode }) => {
  const onCloseAutoFocus = useReturnFocus();
  return (
    <Radix.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fade fixed inset-0 z-40 bg-veil" />
        <Radix.Content
          aria-label={props.label}
          aria-describedby={undefined}
          onCloseAutoFocus={onCloseAutoFocus}
          className="enter fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-24px)] max-w-[560px] -translate-x-1/2 overflow-hidden rounded-sheet border border-line bg-raised shadow-high"
        >
          <Command label={props.label}>{props.children}</Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};

/** Searches the open screen's commands, actions, screens and recent transcripts. */
const CommandPalette = () => {
  const { dialogs, commands, router, client, prefs } = useServices();
  const { t } = useI18n();
  const screen = useStore(commands, (state) => state.screen);
  const [recent, setRecent] = useState<readonly RecentItem[]>([]);
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    client.call('recentTranscripts', { query: { limit: 50 } }).then(setRecent, setError);
  }, [client]);

  const run = (work: () => void) => () => {
    dialogs.close();
    work();
  };
  return (
    <PaletteDialog label={t('palette.title')} onClose={dialogs.close}>
      <Command.Input
        placeholder={t('palette.hint')}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5 [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3">
        <Command.Empty className="px-3 py-6 text-center text-ink-2">{t('palette.none')}</Command.Empty>
        {screen !== undefined && (
          <Command.Group heading={t(screen.heading)}>
            {screen.list.map(({ label, keys, run: work }) => (
              <Command.Item
                key={label}
                className={ITEM_CLASS}
                // The palette returns the focus while it closes.
                onSelect={run(() => setTimeout(work))}
              >
                <span className="flex-1">{t(label)}</span>
                {keys !== undefined && <Kbd>{keys}</Kbd>}
              </Command.Item>
            ))}
          </Command.Group>
        )}
        <Command.Group heading={t('palette.actions')}>
          <Command.Item className={ITEM_CLASS} onSelect={() => dialogs.open({ kind: 'create', sources: [] })}>
            {t('nav.new')}
          </Command.Item>
          <Command.Item className={ITEM_CLASS} onSelect={() => dialogs.open({ kind: 'record' })}>
            {t('record.open')}
          </Command.Item>
          <Command.Item className={ITEM_CLASS} onSelect={() => dialogs.open({ kind: 'shortcuts' })}>
            {t('keys.title')}
          </Command.Item>
          <Command.Item className={ITEM_CLASS} onSelect={run(() => prefs.set({ theme: 'light' }))}>
            {t('theme.toLight')}
          </Command.Item>
          <Command.Item className={ITEM_CLASS} onSelect={run(() => prefs.set({ theme: 'dark' }))}>
            {t('theme.toDark')}
          </Command.Item>
        </Command.Group>
        <Command.Group heading={t('palette.places')}>
          {NAV_SCREENS.map((entry) => (
            <Command.Item
              key={entry.name}
              className={ITEM_CLASS}
              onSelect={run(() => router.go({ screen: entry.name }))}
            >
              <entry.icon size={16} strokeWidth={1.75} aria-hidden />
              {t(entry.label)}
            </Command.Item>
          ))}
        </Command.Group>
        <Command.Group heading={t('palette.transcripts')}>
          {recent.map((item) => (
            <Command.Item
              key={item.id}
              value={`${item.name} ${item.id}`}
              className={ITEM_CLASS}
              onSelect={run(() => router.go({ screen: 'transcript', param: item.id }))}
            >
              <span className="min-w-0 flex-1 truncate">{item.name}</span>
              <span className="tnum text-xs text-ink-3">{item.duration}</span>
            </Command.Item>
          ))}
        </Command.Group>
        {error !== undefined && (
          <p role="alert" className="px-3 py-2 text-bad">
            {describeError(error, t)}
          </p>
        )}
      </Command.List>
    </PaletteDialog>
  );
};
export default CommandPalette;
