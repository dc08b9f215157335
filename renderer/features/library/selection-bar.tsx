import { ScanSearch, Share, Trash2, X } from 'lucide-react';
import { lazy, useState } from 'react';
import { useStore } from 'zustand';
import { EXPORT_ORDER } from '../../api/export.ts';
import { DialogBoundary } from '../../domain/error-boundary.tsx';
import { useLibraryActions } from '../../domain/use-library-actions.ts';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';

const AnalyzeDialog = lazy(() => import('../../domain/analyze-dialog.tsx'));

/** Actions for the selected transcripts. */
export const SelectionBar = () => {
  const { library } = useServices();
  const { t } = useI18n();
  const selected = useStore(library.store, (state) => state.selected);
  const actions = useLibraryActions();
  const [isAnalyzing, setIsAnalyzing] = useState(false);
  return (
    <section
      data-selection
      aria-label={t('library.selection')}
      className="enter sticky bottom-2 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-1 rounded-box border border-line-2 bg-raised py-1.5 ps-4 pe-1.5 shadow-high"
    >
      <span role="status" className="tnum me-2 font-[550]">
        {t('library.selected', { count: selected.size })}
      </span>
      <Menu
        align="start"
        trigger={
          <Button variant="ghost">
            <Share size={15} strokeWidth={1.75} aria-hidden />
            {t('export.open')}
          </Button>
        }
      >
        {EXPORT_ORDER.map((format) => (
          <MenuItem key={format} onSelect={() => void actions.exportAll([...selected], format)}>
            {t('export.inFormat', { format: format.toUpperCase() })}
          </MenuItem>
        ))}
      </Menu>
      <Button variant="ghost" onClick={() => setIsAnalyzing(true)}>
        <ScanSearch size={15} strokeWidth={1.75} aria-hidden />
        {t('analyze.open')}
      </Button>
      <Button variant="ghost" className="text-bad" onClick={() => actions.remove([...selected])}>
        <Trash2 size={15} aria-hidden />
        {t('common.delete')}
      </Button>
      <IconButton label={t('library.clearSelection')} onClick={() => library.select([])}>
        <X size={15} aria-hidden />
      </IconButton>
      {isAnalyzing && (
        <DialogBoundary onClose={() => setIsAnalyzing(false)}>
          <AnalyzeDialog
            title={t('analyzeMany.title', { count: selected.size })}
            text={t('analyzeMany.text')}
            language={null}
            onAnalyze={(request) => actions.analyzeAll([...selected], request)}
            onClose={() => setIsAnalyzing(false)}
          />
        </DialogBoundary>
      )}
    </section>
  );
};
