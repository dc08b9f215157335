import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { EntityType } from '../../../electron/contract/analysis.ts';
import type { Transcription } from '../../../electron/contract/transcript.ts';
import { useI18n } from '../../hooks/services.tsx';
import { formatNumber } from '../../lib/format.ts';
import { Checkbox } from '../../ui/switch.tsx';
import { useReader } from './reader.tsx';
import { NotRequested, PlaceChip, useGoToWord } from './side-panel-parts.tsx';

type EntityName = { readonly text: string; readonly entities: readonly number[] };
type Group = { readonly type: EntityType; readonly names: readonly EntityName[]; readonly count: number };

const groupEntities = (entities: NonNullable<Transcription['entities']>): Group[] => {
  const types = new Map<EntityType, Map<string, number[]>>();
  for (const [index, entity] of entities.entries()) {
    const names = types.get(entity.type) ?? new Map<string, number[]>();
    names.set(entity.text, [...(names.get(entity.text) ?? []), index]);
    types.set(entity.type, names);
  }
  return [...types].map(([type, names]) => ({
    type,
    names: [...names]
      .map(([text, indexes]) => ({ text, entities: indexes }))
      .sort((a, b) => b.entities.length - a.entities.length),
    count: [...names.values()].reduce((total, indexes) => total + indexes.length, 0),
  }));
};

/** Entities by type. A checked type is marked in the text; a name jumps to its next occurrence. */
export const EntitiesTab = ({ transcript }: { transcript: Transcription }) => {
  const { view, editor } = useReader();
  const goToWord = useGoToWord();
  const { t, locale } = useI18n();
  const hiddenEntityTypes = useStore(view, (state) => state.hiddenEntityTypes);
  const groups = useMemo(() => groupEntities(transcript.entities ?? []), [transcript.entities]);
  const [nextOccurrence, setNextOccurrence] = useState<Readonly<Record<string, number>>>({});
  if (transcript.entities === undefined) return <NotRequested>{t('side.names.none')}</NotRequested>;
  if (groups.length === 0) return <p className="mt-5 text-ink-2">{t('side.names.empty')}</p>;

  const jump = (name: EntityName) => {
    const { doc } = editor.store.getState();
    const occurrence = (nextOccurrence[name.text] ?? 0) % name.entities.length;
    const word = doc?.words.findIndex((each) => each.entity === name.entities[occurrence]) ?? -1;
    setNextOccurrence({ ...nextOccurrence, [name.text]: occurrence + 1 });
    goToWord(word);
  };
  const setMarked = (type: string, on: boolean) => {
    const next = new Set(hiddenEntityTypes);
    if (on) next.delete(type);
    else next.add(type);
    view.setState({ hiddenEntityTypes: next });
  };
  return (
    <div className="mt-4">
      {groups.map((group) => (
        <section key={group.type} className="mb-4">
          <h2 className="mb-1.5 flex items-center gap-2 text-xs font-semibold text-ink-2">
            <Checkbox
              label={t(`entity.${group.type}`)}
              showLabel
              checked={!hiddenEntityTypes.has(group.type)}
              onChange={(on) => setMarked(group.type, on)}
            />
            <span className="tnum ml-auto font-normal text-ink-3">{formatNumber(group.count, locale)}</span>
          </h2>
          <ul className="flex flex-wrap gap-1.5">
            {group.names.map((name) => (
              <li key={name.text}>
                <PlaceChip onClick={() => jump(name)}>
                  {name.text}
                  {name.entities.length > 1 && (
                    <span className="tnum ml-1.5 text-ink-3">
                      {formatNumber(name.entities.length, locale)}
                    </span>
                  )}
                </PlaceChip>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
};
