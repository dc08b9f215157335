import { useState } from 'react';
import { useStore } from 'zustand';
import { useI18n } from '../../app/services.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { DetailsTab } from './details-tab.tsx';
import { NamesTab } from './names-tab.tsx';
import { useReader } from './reader.tsx';
import { SpeakersTab } from './speakers-tab.tsx';
import { SummaryTab } from './summary-tab.tsx';

type Panel = 'summary' | 'names' | 'speakers' | 'details';

/** What was found in the transcript, beside it; in a narrow window over it, when it is asked for. */
export const SidePanel = () => {
  const { view } = useReader();
  const { t } = useI18n();
  const open = useStore(view, (state) => state.findings);
  return (
    <>
      <aside
        aria-label={t('side.label')}
        className="hidden overflow-y-auto border-l border-line pt-4 pb-8 pl-6 lg:block"
      >
        <Findings />
      </aside>
      {open && (
        <Dialog
          title={t('side.label')}
          closeLabel={t('common.close')}
          onClose={() => view.setState({ findings: false })}
          width={480}
        >
          <Findings />
        </Dialog>
      )}
    </>
  );
};

const Findings = () => {
  const { transcripts } = useReader();
  const { t } = useI18n();
  const [panel, setPanel] = useState<Panel>('summary');
  const transcript = useStore(transcripts.store, (state) => state.transcript);
  if (transcript === undefined) return null;
  return (
    <Tabs<Panel>
      label={t('side.label')}
      value={panel}
      onChange={setPanel}
      tabs={[
        { value: 'summary', label: t('side.summary'), content: <SummaryTab transcript={transcript} /> },
        { value: 'names', label: t('side.names'), content: <NamesTab transcript={transcript} /> },
        { value: 'speakers', label: t('side.speakers'), content: <SpeakersTab transcript={transcript} /> },
        { value: 'details', label: t('side.details'), content: <DetailsTab transcript={transcript} /> },
      ]}
    />
  );
};
