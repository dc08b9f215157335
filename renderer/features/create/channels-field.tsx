import { useI18n } from '../../hooks/services.tsx';
import type { TranscriptionOptions } from '../../stores/prefs.ts';
import { Switch } from '../../ui/switch.tsx';

type Props = { options: TranscriptionOptions; onChange: (part: Partial<TranscriptionOptions>) => void };

/** Whether each audio channel is recognized by itself. */
export const ChannelsField = ({ options, onChange }: Props) => {
  const { t } = useI18n();
  return (
    <div className="mt-4">
      <Switch
        label={t('create.channels')}
        hint={t('create.channels.hint')}
        checked={options.multichannel}
        onChange={(multichannel) => onChange({ multichannel })}
      />
    </div>
  );
};
