import { BookOpen, Compass } from 'lucide-react';
import { useState } from 'react';
import { useI18n, useServices } from '../../hooks/services.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Page, PageHeader, Section } from '../../ui/page.tsx';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { KeysSection } from './keys-section.tsx';
import { RequestsSection } from './requests-section.tsx';
import { createSnippets, type Snippet } from './snippets.ts';
import { UsageSection } from './usage-section.tsx';
import { WebhooksSection } from './webhooks-section.tsx';

/** Documentation, keys, examples, usage and logs for programs that call the API. */
const ApiScreen = () => {
  const { baseUrl } = useServices();
  const { t } = useI18n();
  const [language, setLanguage] = useState<Snippet['language']>('curl');
  const examples = createSnippets(baseUrl);
  const copyLabels = { copyLabel: t('common.copy'), copiedLabel: t('common.copied') };
  return (
    <Page>
      <div className="max-w-[880px]">
        <PageHeader title={t('nav.api')} text={t('api.text')}>
          <Button asChild>
            <a href={`${baseUrl}/docs/guide`} target="_blank" rel="noreferrer">
              <Compass size={15} strokeWidth={1.75} aria-hidden />
              {t('api.guide')}
            </a>
          </Button>
          <Button asChild>
            <a href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
              <BookOpen size={15} strokeWidth={1.75} aria-hidden />
              {t('api.docs')}
            </a>
          </Button>
        </PageHeader>
        <Section title={t('api.address')} text={t('api.address.text')}>
          <CodeBlock label={t('api.address')} code={`${baseUrl}/v1`} {...copyLabels} />
        </Section>
        <KeysSection />
        <Section
          title={t('api.snippets')}
          text={t('api.snippets.text')}
          action={
            <SegmentedControl<Snippet['language']>
              label={t('api.snippets')}
              value={language}
              choices={examples.map((each) => ({ value: each.language, label: each.language }))}
              onChange={setLanguage}
            />
          }
        >
          <CodeBlock
            label={language}
            code={examples.find((each) => each.language === language)?.code ?? ''}
            {...copyLabels}
          />
        </Section>
        <UsageSection />
        <WebhooksSection />
        <RequestsSection />
      </div>
    </Page>
  );
};
export default ApiScreen;
