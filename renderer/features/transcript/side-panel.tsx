import { useState } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../hooks/services.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DetailsTab } from './details-tab.tsx';
import { EntitiesTab } from './entities-tab.tsx';
import { useReader } from './reader.tsx';
import { SpeakersTab } from './speakers-tab.tsx';
import { SummaryTab } from './summary-tab.tsx';

type Panel = 'summary' | 'names' | 'speakers' | 'details';

/** The results of the analyses, beside the text, or in a dialog in a narrow window. */
export const SidePanel = () => {
  const { view } = useReader();
  const { t } = useI18n();
  const open = useStore(view, (state) => state.isSidePanelOpen);
  return (
    <>
      <aside
        aria-label={t('side.label')}
        className="hidden overflow-y-auto border-l border-line pt-4 pb-8 pl-6 lg:block"
      >
        <SidePanelTabs />
      </aside>
      {open && (
        <Dialog
          title={t('side.label')}
          closeLabel={t('common.close')}
          onClose={() => view.setState({ isSidePanelOpen: false })}
          width={480}
        >
          <SidePanelTabs />
        </Dialog>
      )}
    </>
  );
};

const SidePanelTabs = () => {
  const { editor } = useReader();
  const { t } = useI18n();
  const [panel, setPanel] = useState<Panel>('summary');
  const transcript = useStore(editor.store, (state) => state.transcript);
  if (transcript === undefined) return null;
  return (
    <Tabs<Panel>
      label={t('side.label')}
      value={panel}
      onChange={setPanel}
      tabs={[
        { value: 'summary', label: t('side.summary'), content: <SummaryTab transcript={transcript} /> },
        { value: 'names', label: t('side.names'), content: <EntitiesTab transcript={transcript} /> },
        { value: 'speakers', label: t('side.speakers'), content: <SpeakersTab transcript={transcript} /> },
        { value: 'details', label: t('side.details'), content: <DetailsTab transcript={transcript} /> },
      ]}
    />
  );
};
