import { useI18n, useServices } from '../hooks/services.tsx';
import type { MessageKey } from '../i18n/index.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Kbd } from '../ui/kbd.tsx';

type Group = { readonly title: MessageKey; readonly keys: readonly (readonly [string, MessageKey])[] };

const SHORTCUTS: readonly Group[] = [
  {
    title: 'keys.everywhere',
    keys: [
      ['Ctrl K', 'keys.palette'],
      ['N', 'keys.new'],
      ['Ctrl V', 'keys.paste'],
      ['?', 'keys.list'],
    ],
  },
  {
    title: 'keys.library',
    keys: [
      ['↑ ↓', 'keys.move'],
      ['X', 'keys.select'],
      ['⇧ X', 'keys.selectTo'],
      ['A', 'keys.selection'],
      ['F2', 'keys.rename'],
      ['Del', 'keys.delete'],
      ['Ctrl Z', 'keys.undelete'],
    ],
  },
  {
    title: 'live.title',
    keys: [
      ['P', 'keys.pauseLive'],
      ['L', 'live.large'],
      ['M', 'marks.add'],
    ],
  },
  {
    title: 'keys.transcript',
    keys: [
      ['Space', 'keys.play'],
      ['J K L', 'keys.jkl'],
      ['← →', 'keys.word'],
      ['⇧ ← →', 'keys.sentence'],
      ['[ ]', 'keys.rate'],
      ['E', 'keys.edit'],
      ['S', 'keys.speaker'],
      ['T', 'keys.times'],
      ['⇧ S', 'diarize.open'],
      ['R', 'keys.review'],
      ['A', 'keys.analyze'],
      ['Ctrl F', 'keys.find'],
      ['Ctrl E', 'keys.export'],
      ['Ctrl P', 'keys.print'],
      ['Ctrl Z', 'keys.undo'],
    ],
  },
];

const ShortcutsDialog = () => {
  const { dialogs } = useServices();
  const { t } = useI18n();
  return (
    <Dialog title={t('keys.title')} closeLabel={t('common.close')} onClose={dialogs.close} width={560} isText>
      <ShortcutList />
    </Dialog>
  );
};
export default ShortcutsDialog;

export const ShortcutList = () => {
  const { t } = useI18n();
  return (
    <div className="grid grid-cols-1 gap-x-8 sm:grid-cols-2">
      {SHORTCUTS.map((group) => (
        <section key={group.title} className="mb-4 break-inside-avoid">
          <h3 className="mb-1 text-xs font-semibold text-ink-3">{t(group.title)}</h3>
          <dl>
            {group.keys.map(([keys, name]) => (
              <div key={name} className="flex items-center justify-between gap-3 border-b border-line py-1.5">
                <dt>{t(name)}</dt>
                <dd className="text-ink-2">
                  <Kbd>{keys}</Kbd>
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
};
